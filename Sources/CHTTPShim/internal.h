#ifndef CHTTP_INTERNAL_H
#define CHTTP_INTERNAL_H

#define _GNU_SOURCE // accept4, F_DUPFD_CLOEXEC

#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "CHTTPShim.h"

// Version 1.x reworks suspension and daemon start; what this code relies on was read and probed in
// 0.9.75.
_Static_assert(MHD_VERSION >= 0x00097500, "libmicrohttpd 0.9.75 or later is needed");
_Static_assert(MHD_VERSION < 0x01000000,
               "check suspension, epoll and close order against libmicrohttpd 1.x");
_Static_assert(CHTTP_READ_END == MHD_CONTENT_READER_END_OF_STREAM, "the end of a stream");

enum { MAX_LISTENERS = 16, MAX_SMALL_DAEMONS = 16, SPARE_DESCRIPTORS = 16 };

// A thread each. Who asks for health waits for nobody else's answer; large pools are few, since
// each takes a hundred times the memory of a small one.
enum { DAEMON_RESERVED, DAEMON_LARGE, DAEMON_MEDIUM, FIRST_SMALL_DAEMON };
enum { MAX_DAEMONS = FIRST_SMALL_DAEMON + MAX_SMALL_DAEMONS };

// What an entry of the epoll set is. First member of whatever the entry points to.
enum source { SOURCE_WAKE, SOURCE_LISTENER, SOURCE_CONNECTION };

enum phase {
    PHASE_READING,  // the gate waits for the head
    PHASE_SERVED,   // the library has it, the gate watches
    PHASE_LINGERING // answered; what the client still sends is thrown away, so that no RST
                    // overtakes the answer
};

struct listener {
    enum source source;
    int fd;
    bool is_busy; // clients came in the last turn
};

// One of the library's daemons. It fetches events 128 at a time and, when it gets exactly so many,
// waits for more before it serves them; so somebody has to wake it while it has something to do.
struct daemon {
    struct MHD_Daemon *library;
    int kick_fd;       // in the daemon's epoll set, with an entry that the library skips
    atomic_int active; // its connections that are not suspended
};

// Owned by the gate's thread, except between hand-over to the library and its close notification.
// Then the library's thread may only put it on the list of returned ones: the gate may just hold an
// event that points to it.
struct connection {
    enum source source;
    enum phase phase;
    int fd;
    chttp_server *server;
    struct daemon *daemon; // once it has been handed over
    int linger_fd; // when returned: what to read on from, or -1
    bool half_closed;
    bool spare; // it has taken the place of a spare descriptor
    chttp_outcome outcome;
    uint64_t id;
    int64_t deadline;
    size_t examined; // bytes of the head when the application was last asked about it
    size_t scanned;  // bytes in which the end of the head has been looked for
    int looks;       // how often the head has been looked at
    bool has_news;   // bytes have come that wait for the next look
    size_t discarded;
    struct connection *previous;
    struct connection *next;
};

// In order of deadline, since all members wait equally long.
struct queue {
    struct connection *first;
    struct connection *last;
    size_t count;
};

struct chttp_server {
    chttp_options options;
    chttp_callbacks callbacks;
    int epoll_fd;
    int spares[SPARE_DESCRIPTORS]; // given up for clients when descriptors have run out
    size_t spare_count;
    struct listener wake;
    struct listener listeners[MAX_LISTENERS];
    size_t listener_count;
    struct daemon daemons[MAX_DAEMONS];
    size_t daemon_count;
    size_t next_small_daemon;
    int64_t next_kick;
    int64_t next_look; // at the heads that come in many pieces
    pthread_t thread;
    bool has_thread;
    atomic_bool quitting;
    atomic_bool closing_listeners;
    uint64_t next_id;
    uint8_t *head;
    struct queue reading;
    struct queue lingering;
    // Which connection a descriptor belongs to, from hand-over to close notification.
    _Atomic(struct connection *) *by_fd;
    size_t fd_count;
    pthread_mutex_t lock; // guards `returned`
    struct connection *returned;
};

// gate.c
void *gate_run(void *server);
void gate_fill_spares(chttp_server *server);
void gate_return(chttp_server *server, struct connection *connection);
void gate_clear(chttp_server *server);

// library.c
bool library_start(chttp_server *server, struct daemon *daemon, unsigned int pool);
bool library_serve(const struct daemon *daemon, int fd);
void library_stop(struct daemon *daemon);

// sockets.c
int64_t monotonic_ms(void);

#endif
