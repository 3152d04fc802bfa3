#ifndef CHTTPSHIM_H
#define CHTTPSHIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma clang assume_nonnull begin

// An HTTP/1.x server in two stages. The gate, one thread with an epoll set of its own, accepts
// connections, waits until the head of the request is complete without taking it from the socket,
// and asks the application about it. What the application refuses, the gate answers. What it
// accepts goes to the HTTP library, which reads the same bytes and calls back for the answer. The
// gate keeps watching the socket, because the library does not notice that the client of a
// suspended connection has gone. Every connection carries one request, so that nothing behind a
// request is ever taken for another one.

/// A server: listening sockets, the gate and the library's daemons.
typedef struct chttp_server chttp_server;
/// A connection that the library serves; valid from `on_request` until `on_closed` of its id
/// returns.
typedef struct chttp_connection chttp_connection;
/// A response that is being put together.
typedef struct chttp_response chttp_response;

/// What the application says about the bytes at the start of a connection.
typedef enum {
    CHTTP_HEAD_INCOMPLETE, ///< Ask again when more has come.
    CHTTP_HEAD_SMALL,      ///< A request that fits into a small memory pool.
    CHTTP_HEAD_LARGE,      ///< A request that needs a large one.
    CHTTP_HEAD_MEDIUM,     ///< A request that fits into a medium one.
    CHTTP_HEAD_RESERVED,   ///< The same, and a request that must not wait for others.
    CHTTP_HEAD_REFUSED     ///< The reply has been filled in; send it and close.
} chttp_verdict;

/// What was noticed about the client's end of a connection.
typedef enum {
    CHTTP_PEER_WRITABLE,    ///< It takes bytes again, after `chttp_send` would have blocked.
    CHTTP_PEER_HALF_CLOSED, ///< FIN: it will send nothing more.
    CHTTP_PEER_GONE,        ///< RST, or both directions are closed.
    CHTTP_PEER_TIMED_OUT    ///< It acknowledged nothing for longer than the stall timeout.
} chttp_peer_event;

/// How a connection ended, as the library saw it.
typedef enum {
    CHTTP_CLOSED_COMPLETED, ///< The answer was sent to its end.
    CHTTP_CLOSED_ERROR,   ///< The connection broke, or the application ended it without an orderly
                          ///< end.
    CHTTP_CLOSED_TIMEOUT, ///< No byte could be sent for longer than the stall timeout.
    CHTTP_CLOSED_SHUTDOWN ///< The server was stopped.
} chttp_outcome;

/// A buffer of the gate's for a refusal; `count` bytes of it are sent.
typedef struct {
    uint8_t *bytes;
    size_t capacity;
    size_t count;
} chttp_reply;

/// The application's side. `context` is passed back as it is and must live until
/// `chttp_server_free` has returned.
typedef struct {
    void *context;
    /// Gate thread. `bytes` are all that has arrived, from the start of the connection, and are
    /// valid during the call. A `spare` connection has one of the last descriptors, and only what
    /// must work at all times should be accepted on it.
    chttp_verdict (*on_head)(void *context, uint64_t id, const uint8_t *bytes, size_t count,
                             bool half_closed, bool spare, chttp_reply *reply);
    /// Gate thread. At least once for a connection whose client has gone, and after each
    /// `chttp_send` that would have blocked; also without a cause, and maybe after `on_closed`.
    void (*on_peer)(void *context, uint64_t id, chttp_peer_event event);
    /// Gate thread. The gate is about to wait for events: the application's queued work can be done
    /// as one batch.
    void (*on_turn)(void *context);
    /// Library thread. Called for an accepted head, and again after each resume until
    /// `chttp_respond`. It must respond, suspend, or return false, which closes the connection.
    bool (*on_request)(void *context, uint64_t id, chttp_connection *connection);
    /// Library thread, exactly once for every id whose head was accepted; the gate's where the
    /// library refused it.
    void (*on_closed)(void *context, uint64_t id, chttp_outcome outcome);
    /// Any thread. A message of the library's, without a line break.
    void (*on_log)(void *context, const char *message);
} chttp_callbacks;

typedef struct {
    size_t head_limit;            ///< Bytes of a head the gate looks at.
    size_t waiting;               ///< Connections that may be without a complete head.
    unsigned int head_timeout_ms; ///< Time a client has to complete its head.
    unsigned int
        stall_timeout_s;     ///< Time without progress after which a client is given up; 0: never.
    unsigned int small_pool;  ///< Bytes of memory per connection with a small head.
    unsigned int medium_pool; ///< Bytes of memory per connection with a medium head.
    unsigned int large_pool;  ///< Bytes of memory per connection with any other head.
    unsigned int
        small_daemons;        ///< Threads for small heads, at most 16; 0: as the processor has it.
    unsigned int connections; ///< Connections each daemon may hold.
    int send_buffer;          ///< Bytes the kernel buffers for a client that does not read.
} chttp_options;

/// The time as the `Date` of an answer has it (RFC 9110 section 5.6.7).
void chttp_date(char *text, size_t capacity);

/// The version of the HTTP library in use, as text.
const char *chttp_library_version(void);

/// Raises the soft limit of open descriptors to the hard one. Returns the limit now in force.
uint64_t chttp_raise_descriptor_limit(void);

/// A server that does not listen yet, or NULL with errno set.
chttp_server *_Nullable chttp_server_create(const chttp_options *options,
                                            const chttp_callbacks *callbacks);

/// Binds a listening socket to `host`, a name or a number without brackets, and `port`, 0 for any.
/// Returns 0 and the numeric address and port in `address` as "127.0.0.1:80" or "[::1]:80", or an
/// errno value, or a negative code of getaddrinfo. To be called before `chttp_server_start`.
int chttp_server_listen(chttp_server *server, const char *host, const char *port, char *address,
                        size_t capacity);

/// What a result of `chttp_server_listen` means.
const char *chttp_listen_error(int code);

/// Starts the daemons and the gate. Returns 0 or an errno value.
int chttp_server_start(chttp_server *server);

/// Closes the listening sockets: a client that connects from now on is refused. Any thread, once;
/// asynchronous.
void chttp_server_close_listeners(chttp_server *server);

/// Has `on_turn` called soon. Any thread, also from callbacks.
void chttp_server_wake(chttp_server *server);

/// Ends the gate: closes the listening sockets and the connections it holds itself, and joins its
/// thread. `on_head`, `on_peer` and `on_turn` are not called after it. Not from a callback.
void chttp_server_end_gate(chttp_server *server);

/// Stops the daemons after `chttp_server_end_gate`, closes what is left and frees the server. No
/// connection may be suspended, and none may be suspended while this runs: the library aborts the
/// process otherwise. Not from a callback.
void chttp_server_free(chttp_server *server);

/// Parks a connection, from `on_request` or a read function only. The caller holds the lock that
/// guards its own note of it, because resuming a connection that is not suspended is undefined.
void chttp_suspend(chttp_connection *connection);

/// Continues a suspended connection, from any thread, under the same lock.
void chttp_resume(chttp_connection *connection);

/// Writes to the socket of a suspended connection, under the same lock. The library must have sent
/// everything before, and what is written must fit into the body's framing. Returns the number of
/// bytes written, -1 if the socket is full, which `on_peer` tells the end of, or -2 if it is
/// broken.
ssize_t chttp_send(chttp_connection *connection, const void *_Nullable bytes, size_t count);

/// How many bytes that were sent on a suspended connection its client has not acknowledged yet;
/// under the same lock.
size_t chttp_unacknowledged(chttp_connection *connection);

/// Shuts the socket down, so that whatever the library sends next fails and it gives the connection
/// up; with `reset`, what the client has not taken is thrown away. Under the lock that `on_closed`
/// takes, so that the connection is still there.
void chttp_break(chttp_connection *connection, bool reset);

/// Bytes to send: the number written into `bytes`, 0 after a suspension, or `CHTTP_READ_END`.
typedef ssize_t (*chttp_read)(void *_Null_unspecified stream, uint64_t position,
                              char *_Null_unspecified bytes, size_t capacity);
/// The body is over. After `chttp_break` too: the library leaves a connection whose read function
/// reports an error open until an older one has made progress.
#define CHTTP_READ_END ((ssize_t) - 1)

/// A response with a body of known length, which is copied. NULL when out of memory.
chttp_response *_Nullable chttp_response_bytes(const uint8_t *_Nullable bytes, size_t count);

/// A response whose body is asked for piece by piece with `read`, on the library's thread. A read
/// that has nothing must suspend and return 0. `release` is called once, when the response is no
/// longer used; not when NULL is returned.
chttp_response *_Nullable chttp_response_stream(void *stream, chttp_read read,
                                                void (*release)(void *_Null_unspecified stream));

/// The head of a streaming response for HEAD: no body, no length, no chunks.
chttp_response *_Nullable chttp_response_stream_head(void);

/// Adds a header. False when the library does not accept it.
bool chttp_response_add(chttp_response *response, const char *name, const char *value);

/// Queues the response, which is used up in any case. From `on_request` only. False when it could
/// not be queued.
bool chttp_respond(chttp_connection *connection, unsigned int status, chttp_response *response);

#pragma clang assume_nonnull end

#endif
