#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS_PER_TURN = 128, ACCEPTS_PER_TURN = 1024, LINGER_MS = 2000, LINGER_BYTES = 4 << 20 };
enum { KICK_MS = 10, PATIENCE_MS = 1000, LOOKS_AT_ONCE = 64, LOOK_MS = 500 };

// EPOLLOUT costs one event at the start; later it is told only after a write that would have
// blocked, so that no epoll_ctl is needed then.
static const uint32_t CONNECTION_EVENTS = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;

static void append(struct queue *queue, struct connection *connection) {
    connection->previous = queue->last;
    connection->next = NULL;
    if (queue->last) queue->last->next = connection;
    else queue->first = connection;
    queue->last = connection;
    queue->count++;
}

static void take(struct queue *queue, struct connection *connection) {
    if (connection->previous) connection->previous->next = connection->next;
    else queue->first = connection->next;
    if (connection->next) connection->next->previous = connection->previous;
    else queue->last = connection->previous;
    connection->previous = connection->next = NULL;
    queue->count--;
}

// For connections of the gate's own. It is freed with the returned ones, after the events of this
// turn.
static void drop(chttp_server *server, struct connection *connection) {
    take(connection->phase == PHASE_READING ? &server->reading : &server->lingering, connection);
    // Without unread bytes the close is a FIN, not an RST.
    recv(connection->fd, NULL, 1 << 20, MSG_TRUNC | MSG_DONTWAIT);
    close(connection->fd);
    connection->fd = -1;
    connection->phase = PHASE_SERVED;
    connection->linger_fd = -1;
    pthread_mutex_lock(&server->lock);
    connection->next = server->returned;
    server->returned = connection;
    pthread_mutex_unlock(&server->lock);
}

void chttp_server_wake(chttp_server *server) {
    uint64_t one = 1;
    // A full counter means that a wake-up is due anyway.
    ssize_t written = write(server->wake.fd, &one, sizeof one);
    (void)written;
}

void gate_return(chttp_server *server, struct connection *connection) {
    pthread_mutex_lock(&server->lock);
    bool first = server->returned == NULL;
    connection->next = server->returned;
    server->returned = connection;
    pthread_mutex_unlock(&server->lock);
    if (first) chttp_server_wake(server);
}

static void linger(chttp_server *server, struct connection *connection) {
    connection->phase = PHASE_LINGERING;
    connection->deadline = monotonic_ms() + LINGER_MS;
    append(&server->lingering, connection);
}

static void settle_returned(chttp_server *server) {
    pthread_mutex_lock(&server->lock);
    struct connection *next = server->returned;
    server->returned = NULL;
    pthread_mutex_unlock(&server->lock);
    while (next) {
        struct connection *connection = next;
        next = connection->next;
        if (connection->linger_fd < 0) {
            free(connection);
            continue;
        }
        connection->fd = connection->linger_fd;
        linger(server, connection);
        struct epoll_event event = {.events = CONNECTION_EVENTS, .data.ptr = connection};
        if (epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, connection->fd, &event) != 0)
            drop(server, connection);
    }
}

static void discard_input(chttp_server *server, struct connection *connection) {
    for (;;) {
        // MSG_TRUNC throws the bytes away without copying them.
        ssize_t count = recv(connection->fd, NULL, 1 << 20, MSG_TRUNC | MSG_DONTWAIT);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
        if (count > 0) connection->discarded += (size_t)count;
        if (count <= 0 || connection->discarded > LINGER_BYTES) {
            drop(server, connection);
            return;
        }
    }
}

static void refuse(chttp_server *server, struct connection *connection, const uint8_t *bytes,
                   size_t count) {
    take(&server->reading, connection);
    linger(server, connection);
    // The answer is small and the send buffer empty: it is taken whole, or the client has gone.
    ssize_t sent = send(connection->fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0 || connection->half_closed || connection->spare) {
        drop(server, connection);
        return;
    }
    shutdown(connection->fd, SHUT_WR);
    discard_input(server, connection);
}

static struct daemon *daemon_for(chttp_server *server, chttp_verdict verdict) {
    switch (verdict) {
    case CHTTP_HEAD_RESERVED: return &server->daemons[DAEMON_RESERVED];
    case CHTTP_HEAD_MEDIUM: return &server->daemons[DAEMON_MEDIUM];
    case CHTTP_HEAD_SMALL: {
        size_t count = server->daemon_count - FIRST_SMALL_DAEMON;
        size_t next = server->next_small_daemon++ % count;
        return &server->daemons[FIRST_SMALL_DAEMON + next];
    }
    default: return &server->daemons[DAEMON_LARGE];
    }
}

static void hand_over(chttp_server *server, struct connection *connection, chttp_verdict verdict) {
    take(&server->reading, connection);
    connection->phase = PHASE_SERVED;
    connection->outcome = CHTTP_CLOSED_ERROR;
    struct daemon *daemon = daemon_for(server, verdict);
    atomic_store(&server->by_fd[connection->fd], connection);
    connection->daemon = daemon;
    atomic_fetch_add(&daemon->active, 1);
    int fd = connection->fd;
    if (library_serve(daemon, fd)) return;
    atomic_fetch_sub(&daemon->active, 1);
    atomic_store(&server->by_fd[fd], NULL);
    server->callbacks.on_closed(server->callbacks.context, connection->id, CHTTP_CLOSED_ERROR);
    connection->linger_fd = -1;
    gate_return(server, connection);
}

// Whether what has come since the application was asked may change its answer: the end of the head,
// the limit, or as much again. A head that comes byte by byte would otherwise be parsed once for
// every byte.
static bool is_worth_asking(const chttp_server *server, struct connection *connection,
                            size_t count) {
    const uint8_t *head = server->head;
    size_t start = connection->scanned > 3 ? connection->scanned - 3 : 0;
    connection->scanned = count;
    if (count >= server->options.head_limit || count >= 2 * connection->examined ||
        connection->half_closed)
        return true;
    for (size_t i = start; i + 1 < count; i++) {
        if (head[i] != '\n') continue;
        if (head[i + 1] == '\n') return true;
        if (head[i + 1] == '\r' && i + 2 < count && head[i + 2] == '\n') return true;
    }
    return false;
}

static void examine(chttp_server *server, struct connection *connection) {
    ssize_t count;
    connection->looks++;
    connection->has_news = false;
    do
        count =
            recv(connection->fd, server->head, server->options.head_limit, MSG_PEEK | MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (count <= 0) {
        drop(server, connection);
        return;
    }
    if (!is_worth_asking(server, connection, (size_t)count)) return;
    connection->examined = (size_t)count;
    // An answer may repeat a field of the request.
    uint8_t bytes[32768];
    chttp_reply reply = {.bytes = bytes, .capacity = sizeof bytes, .count = 0};
    chttp_verdict verdict =
        server->callbacks.on_head(server->callbacks.context, connection->id, server->head,
                                  (size_t)count, connection->half_closed, connection->spare,
                                  &reply);
    switch (verdict) {
    case CHTTP_HEAD_INCOMPLETE:
        if (connection->half_closed) drop(server, connection);
        return;
    case CHTTP_HEAD_REFUSED: refuse(server, connection, reply.bytes, reply.count); return;
    default: hand_over(server, connection, verdict); return;
    }
}

static void admit(chttp_server *server, int fd, bool spare) {
    struct connection *connection = NULL;
    if ((size_t)fd < server->fd_count) connection = calloc(1, sizeof *connection);
    if (!connection) {
        close(fd);
        return;
    }
    connection->source = SOURCE_CONNECTION;
    connection->phase = PHASE_READING;
    connection->fd = fd;
    connection->server = server;
    connection->spare = spare;
    connection->id = ++server->next_id;
    connection->deadline = monotonic_ms() + server->options.head_timeout_ms;
    // Who has waited longest for its own next byte makes room, unless its head has come meanwhile.
    if (server->reading.first && server->reading.count >= server->options.waiting)
        examine(server, server->reading.first);
    if (server->reading.first && server->reading.count >= server->options.waiting)
        drop(server, server->reading.first);
    append(&server->reading, connection);
    struct epoll_event event = {.events = CONNECTION_EVENTS, .data.ptr = connection};
    if (epoll_ctl(server->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) drop(server, connection);
}

void gate_fill_spares(chttp_server *server) {
    while (server->spare_count < SPARE_DESCRIPTORS) {
        int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (fd < 0) return;
        server->spares[server->spare_count++] = fd;
    }
}

// Who has been answered, or has had time enough for its head.
static bool make_room(chttp_server *server) {
    // Whose head has come in this turn may have been answered by now.
    for (struct connection *next, *connection = server->reading.first;
         connection && !server->lingering.first; connection = next) {
        next = connection->next;
        if (connection->looks == 0) examine(server, connection);
    }
    if (server->lingering.first) {
        drop(server, server->lingering.first);
        return true;
    }
    struct connection *oldest = server->reading.first;
    if (!oldest) return false;
    int64_t since = oldest->deadline - server->options.head_timeout_ms;
    if (monotonic_ms() - since < PATIENCE_MS) return false;
    drop(server, oldest);
    return true;
}

// What waits must be taken, or the listening socket would stay readable and the thread would spin:
// in place of a spare descriptor, so that health is answered, and on the last of these only to be
// closed, which every client takes for a reason to try again.
static bool accept_in_need(chttp_server *server, int listener) {
    if (server->spare_count == 0) return false;
    bool last = server->spare_count == 1;
    close(server->spares[--server->spare_count]);
    int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0 && !last) {
        admit(server, fd, true);
        return true;
    }
    if (fd >= 0) {
        recv(fd, NULL, 1 << 20, MSG_TRUNC | MSG_DONTWAIT);
        close(fd);
    }
    gate_fill_spares(server);
    return fd >= 0;
}

static bool has_waiting(int listener) {
    struct pollfd entry = {.fd = listener, .events = POLLIN};
    return poll(&entry, 1, 0) > 0;
}

static void accept_clients(chttp_server *server, struct listener *listener) {
    listener->is_busy = false;
    for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
        int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            listener->is_busy = true;
            admit(server, fd, false);
        } else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            // Linux looks for a descriptor before it looks for a client.
            if (!has_waiting(listener->fd)) return;
            if (!make_room(server) && !accept_in_need(server, listener->fd)) return;
        } else if (errno != EINTR && errno != ECONNABORTED) return;
    }
}

static chttp_peer_event peer_event(int fd, uint32_t events) {
    if (!(events & (EPOLLERR | EPOLLHUP))) return CHTTP_PEER_HALF_CLOSED;
    int error = 0;
    socklen_t size = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == ETIMEDOUT)
        return CHTTP_PEER_TIMED_OUT;
    return CHTTP_PEER_GONE;
}

static void notice(chttp_server *server, struct connection *connection, uint32_t events) {
    bool over = events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR);
    switch (connection->phase) {
    case PHASE_READING:
        if (over) connection->half_closed = true;
        if (over || ((events & EPOLLIN) && connection->looks < LOOKS_AT_ONCE))
            examine(server, connection);
        else if (events & EPOLLIN)
            connection->has_news = true;
        break;
    case PHASE_LINGERING: discard_input(server, connection); break;
    case PHASE_SERVED:
        // Closed already when the event was fetched before the library's notification, then the
        // number may be another's; or dropped in this turn.
        if (connection->fd < 0 || !(over || (events & EPOLLOUT)) ||
            atomic_load(&server->by_fd[connection->fd]) != connection)
            break;
        server->callbacks.on_peer(server->callbacks.context, connection->id,
                                  over ? peer_event(connection->fd, events) : CHTTP_PEER_WRITABLE);
        break;
    }
}

// Looking into a socket costs the kernel the more the smaller the pieces were, so that a head that
// comes in very many is looked at only now and then.
static void look_at_news(chttp_server *server) {
    int64_t now = monotonic_ms();
    if (now < server->next_look) return;
    server->next_look = now + LOOK_MS;
    for (struct connection *next, *connection = server->reading.first; connection;
         connection = next) {
        next = connection->next;
        if (connection->has_news) examine(server, connection);
    }
}

static void drop_overdue(chttp_server *server) {
    int64_t now = monotonic_ms();
    while (server->reading.first && server->reading.first->deadline <= now) {
        struct connection *connection = server->reading.first;
        if (connection->has_news) examine(server, connection);
        if (server->reading.first == connection) drop(server, connection);
    }
    while (server->lingering.first && server->lingering.first->deadline <= now)
        drop(server, server->lingering.first);
}

// Again and again, because a kick may itself be what fills the 128 events; not at all when every
// connection is suspended.
static int64_t kick_daemons(chttp_server *server) {
    bool busy = false;
    for (size_t i = 0; i < server->daemon_count; i++)
        if (atomic_load(&server->daemons[i].active) > 0) busy = true;
    if (!busy) return INT64_MAX;
    int64_t now = monotonic_ms();
    if (now < server->next_kick) return server->next_kick;
    server->next_kick = now + KICK_MS;
    for (size_t i = 0; i < server->daemon_count; i++) {
        uint64_t one = 1;
        if (atomic_load(&server->daemons[i].active) <= 0) continue;
        // Nobody reads it: in 64 bits there is room for all kicks there will ever be.
        ssize_t written = write(server->daemons[i].kick_fd, &one, sizeof one);
        (void)written;
    }
    return server->next_kick;
}

static int wait_ms(chttp_server *server) {
    int64_t deadline = kick_daemons(server);
    if (server->reading.first && server->reading.first->deadline < deadline)
        deadline = server->reading.first->deadline;
    if (server->lingering.first && server->lingering.first->deadline < deadline)
        deadline = server->lingering.first->deadline;
    if (server->reading.first && server->next_look < deadline) deadline = server->next_look;
    if (deadline == INT64_MAX) return -1;
    int64_t left = deadline - monotonic_ms();
    return left < 0 ? 0 : (int)left + 1;
}

static void close_listeners(chttp_server *server) {
    for (size_t i = 0; i < server->listener_count; i++) close(server->listeners[i].fd);
    server->listener_count = 0;
}

void *gate_run(void *argument) {
    chttp_server *server = argument;
    struct epoll_event events[EVENTS_PER_TURN];
    while (!atomic_load(&server->quitting)) {
        server->callbacks.on_turn(server->callbacks.context);
        // In a storm of clients the listening socket is not asked only when its turn comes: what
        // the kernel's queue cannot hold is dropped, and comes again a second later.
        for (size_t i = 0; i < server->listener_count; i++)
            if (server->listeners[i].is_busy) accept_clients(server, &server->listeners[i]);
        gate_fill_spares(server);
        int count = epoll_wait(server->epoll_fd, events, EVENTS_PER_TURN, wait_ms(server));
        for (int i = 0; i < count; i++) {
            enum source *source = events[i].data.ptr;
            switch (*source) {
            case SOURCE_WAKE: {
                uint64_t wakes;
                ssize_t taken = read(server->wake.fd, &wakes, sizeof wakes);
                (void)taken;
                break;
            }
            case SOURCE_LISTENER:
                if (server->listener_count) accept_clients(server, events[i].data.ptr);
                break;
            case SOURCE_CONNECTION: notice(server, events[i].data.ptr, events[i].events); break;
            }
        }
        if (atomic_load(&server->closing_listeners)) close_listeners(server);
        look_at_news(server);
        drop_overdue(server);
        settle_returned(server);
    }
    return NULL;
}

void gate_clear(chttp_server *server) {
    close_listeners(server);
    while (server->reading.first) drop(server, server->reading.first);
    while (server->lingering.first) drop(server, server->lingering.first);
}
