#include "internal.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fcntl.h>
#include <linux/sockios.h>

static struct connection *connection_of(struct MHD_Connection *library_connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(library_connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static enum MHD_Result on_access(void *context, struct MHD_Connection *library_connection,
                                 const char *url, const char *method, const char *version,
                                 const char *upload, size_t *upload_size, void **request) {
    (void)url, (void)method, (void)version, (void)upload;
    chttp_server *server = context;
    struct connection *connection = connection_of(library_connection);
    if (!connection) return MHD_NO;
    if (*upload_size) {
        *upload_size = 0;
        return MHD_YES;
    }
    *request = connection;
    bool answered = server->callbacks.on_request(server->callbacks.context, connection->id,
                                                 (chttp_connection *)library_connection);
    return answered ? MHD_YES : MHD_NO;
}

static void on_completed(void *context, struct MHD_Connection *library_connection, void **request,
                         enum MHD_RequestTerminationCode code) {
    (void)context, (void)request;
    struct connection *connection = connection_of(library_connection);
    if (!connection) return;
    switch (code) {
    case MHD_REQUEST_TERMINATED_COMPLETED_OK: connection->outcome = CHTTP_CLOSED_COMPLETED; break;
    case MHD_REQUEST_TERMINATED_TIMEOUT_REACHED: connection->outcome = CHTTP_CLOSED_TIMEOUT; break;
    case MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN: connection->outcome = CHTTP_CLOSED_SHUTDOWN; break;
    default: connection->outcome = CHTTP_CLOSED_ERROR; break;
    }
}

// What is unread when a socket is closed makes the kernel send RST, which can overtake the answer.
// A second descriptor keeps the socket open after the library has closed its own, and the gate
// reads on for a while.
static int keep_for_lingering(const struct connection *connection) {
    int unread = 0;
    if (connection->outcome != CHTTP_CLOSED_COMPLETED || connection->half_closed) return -1;
    if (ioctl(connection->fd, SIOCINQ, &unread) != 0 || unread == 0) return -1;
    return fcntl(connection->fd, F_DUPFD_CLOEXEC, 0);
}

static void on_connection(void *context, struct MHD_Connection *library_connection,
                          void **socket_context, enum MHD_ConnectionNotificationCode code) {
    chttp_server *server = context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(library_connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        *socket_context = info ? atomic_load(&server->by_fd[info->connect_fd]) : NULL;
        return;
    }
    struct connection *connection = *socket_context;
    if (!connection) return;
    atomic_fetch_sub(&connection->daemon->active, 1);
    atomic_store(&server->by_fd[connection->fd], NULL);
    epoll_ctl(server->epoll_fd, EPOLL_CTL_DEL, connection->fd, NULL);
    server->callbacks.on_closed(server->callbacks.context, connection->id, connection->outcome);
    connection->linger_fd = keep_for_lingering(connection);
    gate_return(server, connection);
}

static void on_message(void *context, const char *format, va_list arguments) {
    chttp_server *server = context;
    char text[512];
    int length = vsnprintf(text, sizeof text, format, arguments);
    if (length < 0) return;
    text[strcspn(text, "\r\n")] = 0;
    server->callbacks.on_log(server->callbacks.context, text);
}

static void on_panic(void *context, const char *file, unsigned int line, const char *reason) {
    (void)context;
    dprintf(STDERR_FILENO, "libmicrohttpd cannot go on: %s (%s:%u)\n", reason ? reason : "",
            file ? file : "", line);
    abort();
}

// `MHD_start_daemon` is variadic and so not visible to Swift.
static struct MHD_Daemon *start(chttp_server *server, unsigned int pool) {
    unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                         MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC | MHD_USE_ERROR_LOG;
    return MHD_start_daemon(flags, 0, NULL, NULL, on_access, server,                        //
                            MHD_OPTION_EXTERNAL_LOGGER, on_message, server,                 //
                            MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,                //
                            MHD_OPTION_NOTIFY_CONNECTION, on_connection, server,            //
                            MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)pool,               //
                            MHD_OPTION_CONNECTION_LIMIT, server->options.connections,       //
                            MHD_OPTION_CONNECTION_TIMEOUT, server->options.stall_timeout_s, //
                            MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
                            MHD_OPTION_END);
}

bool library_start(chttp_server *server, struct daemon *daemon, unsigned int pool) {
    MHD_set_panic_func(on_panic, NULL);
    daemon->kick_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (daemon->kick_fd < 0) return false;
    daemon->library = start(server, pool);
    if (daemon->library) {
        const union MHD_DaemonInfo *info =
            MHD_get_daemon_info(daemon->library, MHD_DAEMON_INFO_EPOLL_FD);
        struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = NULL};
        if (info && epoll_ctl(info->epoll_fd, EPOLL_CTL_ADD, daemon->kick_fd, &event) == 0)
            return true;
    }
    int error = errno;
    library_stop(daemon);
    errno = error;
    return false;
}

void library_stop(struct daemon *daemon) {
    if (daemon->library) MHD_stop_daemon(daemon->library);
    close(daemon->kick_fd);
}

// The library closes the descriptor when it refuses it.
bool library_serve(const struct daemon *daemon, int fd) {
    // Only the library's limit per address would look at it, which is off.
    struct sockaddr_in address = {.sin_family = AF_INET};
    return MHD_add_connection(daemon->library, fd, (struct sockaddr *)&address, sizeof address) ==
           MHD_YES;
}

const char *chttp_library_version(void) {
    return MHD_get_version();
}

void chttp_suspend(chttp_connection *connection) {
    const struct connection *ours = connection_of((struct MHD_Connection *)connection);
    if (ours) atomic_fetch_sub(&ours->daemon->active, 1);
    MHD_suspend_connection((struct MHD_Connection *)connection);
}

void chttp_resume(chttp_connection *connection) {
    const struct connection *ours = connection_of((struct MHD_Connection *)connection);
    bool first = ours && atomic_fetch_add(&ours->daemon->active, 1) == 0;
    MHD_resume_connection((struct MHD_Connection *)connection);
    // The gate sleeps for as long as no daemon needs its kicks.
    if (first) chttp_server_wake(ours->server);
}

ssize_t chttp_send(chttp_connection *connection, const void *bytes, size_t count) {
    const struct connection *ours = connection_of((struct MHD_Connection *)connection);
    if (!ours) return -2;
    for (;;) {
        ssize_t sent = send(ours->fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent >= 0) return sent;
        if (errno == EINTR) continue;
        return errno == EAGAIN || errno == EWOULDBLOCK ? -1 : -2;
    }
}

size_t chttp_unacknowledged(chttp_connection *connection) {
    const struct connection *ours = connection_of((struct MHD_Connection *)connection);
    int count = 0;
    if (!ours || ioctl(ours->fd, TIOCOUTQ, &count) != 0 || count < 0) return 0;
    return (size_t)count;
}

void chttp_break(chttp_connection *connection, bool reset) {
    const struct connection *ours = connection_of((struct MHD_Connection *)connection);
    if (!ours) return;
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    if (reset) setsockopt(ours->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    shutdown(ours->fd, SHUT_RDWR);
}

chttp_response *chttp_response_bytes(const uint8_t *bytes, size_t count) {
    // The library takes a pointer to mutable bytes, but only copies them.
    union {
        const uint8_t *read;
        void *pass;
    } body = {.read = bytes};
    return (chttp_response *)MHD_create_response_from_buffer(count, body.pass,
                                                             MHD_RESPMEM_MUST_COPY);
}

chttp_response *chttp_response_stream(void *stream, chttp_read read, void (*release)(void *)) {
    // The block is used for HTTP/1.0 only, but every response has one.
    return (chttp_response *)MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1024, read, stream,
                                                               release);
}

static ssize_t read_nothing(void *stream, uint64_t position, char *bytes, size_t capacity) {
    (void)stream, (void)position, (void)bytes, (void)capacity;
    return CHTTP_READ_END;
}

// Without this flag 0.9.75 sends the last chunk, `0 CRLF CRLF`, in answer to HEAD.
chttp_response *chttp_response_stream_head(void) {
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1, read_nothing, NULL, NULL);
    if (response) MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
    return (chttp_response *)response;
}

bool chttp_response_add(chttp_response *response, const char *name, const char *value) {
    return MHD_add_response_header((struct MHD_Response *)response, name, value) == MHD_YES;
}

bool chttp_respond(chttp_connection *connection, unsigned int status, chttp_response *response) {
    struct MHD_Response *library_response = (struct MHD_Response *)response;
    bool queued = MHD_add_response_header(library_response, "Connection", "close") == MHD_YES &&
                  MHD_queue_response((struct MHD_Connection *)connection, status,
                                     library_response) == MHD_YES;
    MHD_destroy_response(library_response);
    return queued;
}
