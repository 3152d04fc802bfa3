#include "internal.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BACKLOG = 4096 };

int64_t monotonic_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void chttp_date(char *text, size_t capacity) {
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    // Not strftime, whose names follow the locale.
    snprintf(text, capacity, "%s, %02d %s %d %02d:%02d:%02d GMT", days[utc.tm_wday], utc.tm_mday,
             months[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

uint64_t chttp_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
    struct rlimit raised = {.rlim_cur = limit.rlim_max, .rlim_max = limit.rlim_max};
    if (limit.rlim_cur < limit.rlim_max && setrlimit(RLIMIT_NOFILE, &raised) == 0)
        return raised.rlim_cur;
    return limit.rlim_cur;
}

static void set_option(int fd, int level, int name, int value) {
    setsockopt(fd, level, name, &value, sizeof value);
}

// Accepted sockets inherit what is set here, which saves these calls for each of them.
static void set_options(int fd, const chttp_options *options) {
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(fd, SOL_SOCKET, SO_SNDBUF, options->send_buffer);
    if (options->stall_timeout_s == 0) return;
    // A peer that vanished without a packet: unacknowledged data gives up after the user timeout;
    // without data the keep-alive probes start at half of it and then count as such.
    int timeout = (int)(options->stall_timeout_s > 3600 ? 3600 : options->stall_timeout_s);
    int interval = timeout / 6 > 0 ? timeout / 6 : 1;
    set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, timeout * 1000);
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, timeout / 2 > 0 ? timeout / 2 : 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, interval);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 9);
}

chttp_server *chttp_server_create(const chttp_options *options, const chttp_callbacks *callbacks) {
    chttp_server *server = calloc(1, sizeof *server);
    if (!server) return NULL;
    server->options = *options;
    server->callbacks = *callbacks;
    pthread_mutex_init(&server->lock, NULL);
    struct rlimit limit = {.rlim_cur = 1024};
    getrlimit(RLIMIT_NOFILE, &limit);
    server->fd_count = limit.rlim_cur < (1 << 20) ? (size_t)limit.rlim_cur : 1 << 20;
    server->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    server->wake.source = SOURCE_WAKE;
    server->wake.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    gate_fill_spares(server);
    server->head = malloc(options->head_limit);
    server->by_fd = calloc(server->fd_count, sizeof *server->by_fd);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = &server->wake};
    if (server->epoll_fd < 0 || server->wake.fd < 0 || !server->head || !server->by_fd ||
        epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, server->wake.fd, &event) != 0) {
        int error = errno;
        chttp_server_free(server);
        errno = error;
        return NULL;
    }
    return server;
}

static int bind_socket(chttp_server *server, const struct addrinfo *info) {
    int fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    set_options(fd, &server->options);
    // "[::]" would otherwise take the IPv4 port as well, and "0.0.0.0" beside it would be refused.
    if (info->ai_family == AF_INET6) set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (bind(fd, info->ai_addr, info->ai_addrlen) == 0 && listen(fd, BACKLOG) == 0) return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

static int describe(int fd, char *address, size_t capacity) {
    struct sockaddr_storage name;
    socklen_t size = sizeof name;
    char host[NI_MAXHOST], port[NI_MAXSERV];
    if (getsockname(fd, (struct sockaddr *)&name, &size) != 0) return errno;
    int code = getnameinfo((struct sockaddr *)&name, size, host, sizeof host, port, sizeof port,
                           NI_NUMERICHOST | NI_NUMERICSERV);
    if (code != 0) return code;
    snprintf(address, capacity, name.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return 0;
}

int chttp_server_listen(chttp_server *server, const char *host, const char *port, char *address,
                        size_t capacity) {
    if (server->listener_count == MAX_LISTENERS) return ENOSPC;
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    int code = getaddrinfo(host, port, &hints, &found);
    if (code == EAI_SYSTEM) return errno;
    if (code != 0) return code;
    int fd = -1, error = EADDRNOTAVAIL;
    // A name such as localhost has addresses of both families; the older one is what clients try
    // without fail.
    for (int pass = 0; pass < 2 && fd < 0; pass++)
        for (const struct addrinfo *info = found; info && fd < 0; info = info->ai_next) {
            if ((info->ai_family == AF_INET) != (pass == 0)) continue;
            fd = bind_socket(server, info);
            if (fd < 0) error = errno;
            if (fd < 0 && error == EADDRINUSE) pass = 2;
        }
    freeaddrinfo(found);
    if (fd < 0) return error;
    struct listener *listener = &server->listeners[server->listener_count];
    *listener = (struct listener){.source = SOURCE_LISTENER, .fd = fd};
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = listener};
    int result = describe(fd, address, capacity);
    if (result == 0 && epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) result = errno;
    if (result == 0) server->listener_count++;
    else close(fd);
    return result;
}

const char *chttp_listen_error(int code) {
    return code < 0 ? gai_strerror(code) : strerror(code);
}

// Of the daemon that is started next.
static unsigned int pool_size(const chttp_server *server) {
    switch (server->daemon_count) {
    case DAEMON_RESERVED:
    case DAEMON_MEDIUM: return server->options.medium_pool;
    case DAEMON_LARGE: return server->options.large_pool;
    default: return server->options.small_pool;
    }
}

int chttp_server_start(chttp_server *server) {
    unsigned int small = server->options.small_daemons;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    // They set streams up and answer finite requests; the gate's thread, which writes the streams,
    // and the sources want the rest.
    if (small == 0) small = processors > 8 ? 4 : (unsigned int)(processors / 2);
    if (small < 1) small = 1;
    if (small > MAX_SMALL_DAEMONS) small = MAX_SMALL_DAEMONS;
    while (server->daemon_count < FIRST_SMALL_DAEMON + small) {
        errno = 0;
        struct daemon *daemon = &server->daemons[server->daemon_count];
        if (!library_start(server, daemon, pool_size(server))) return errno ? errno : ENOMEM;
        server->daemon_count++;
    }
    int error = pthread_create(&server->thread, NULL, gate_run, server);
    server->has_thread = error == 0;
    return error;
}

void chttp_server_close_listeners(chttp_server *server) {
    atomic_store(&server->closing_listeners, true);
    chttp_server_wake(server);
}

void chttp_server_end_gate(chttp_server *server) {
    atomic_store(&server->quitting, true);
    chttp_server_wake(server);
    if (server->has_thread) pthread_join(server->thread, NULL);
    server->has_thread = false;
    gate_clear(server);
}

void chttp_server_free(chttp_server *server) {
    chttp_server_end_gate(server);
    for (size_t i = 0; i < server->daemon_count; i++) library_stop(&server->daemons[i]);
    while (server->returned) {
        struct connection *connection = server->returned;
        server->returned = connection->next;
        if (connection->linger_fd >= 0) close(connection->linger_fd);
        free(connection);
    }
    if (server->epoll_fd >= 0) close(server->epoll_fd);
    if (server->wake.fd >= 0) close(server->wake.fd);
    while (server->spare_count) close(server->spares[--server->spare_count]);
    free(server->head);
    free(server->by_fd);
    pthread_mutex_destroy(&server->lock);
    free(server);
}
