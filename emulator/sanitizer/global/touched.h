/* The bytes that a launch, a copy or a fill has touched: exact byte ranges, by kind of access.
 * They show whether two operations race that nothing orders. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The kinds of accesses. Strong: by atomics and others that do not race with one another. */
typedef enum {
    SAN_STORED,        /* written by plain stores */
    SAN_STORED_STRONG, /* written by atomic operations and other strong stores */
    SAN_LOADED,        /* read by plain loads */
    SAN_LOADED_STRONG, /* read by strong loads */
    SAN_TOUCH_KINDS    /* number of the kinds of accesses above */
} san_touch_kind;      /* how bytes were accessed */

typedef struct san_range {
    uint64_t at, bytes; /* address and number of the bytes */
    const char *path;   /* source file of the access, interned; NULL: unknown, or no kernel */
    uint32_t line;      /* line of the access in `path` */
} san_range;

typedef struct san_touched {
    struct {
        san_range *range; /* [count] after sorting, the ranges are ascending and do not overlap */
        uint32_t count;
        bool sorted; /* `range` is sorted by address */
    } by[SAN_TOUCH_KINDS];
    bool admits_next;          /* the kernel has executed griddepcontrol.launch_dependents */
    struct san_touched *early; /* what it had touched when a thread first executed
                                  griddepcontrol.wait; NULL: none has */
    bool lost;                 /* the host ran out of memory, so some ranges are missing */
    struct san_touched_request {
        uint32_t number;           /* number of the request for work (sm_runtime_call.request) */
        struct san_touched *later; /* what the kernel touches while the requested work may run */
    } * request; /* [request_count] one for each kernel, copy or fill that the kernel requested */
    uint32_t request_count;
} san_touched;

san_touched *san_touched_new(void); /* NULL: the host is out of memory */
void san_touched_free(san_touched *t);

/* Add BYTES bytes at AT, touched at LINE of PATH (NULL: unknown). */
void san_touched_add_range(san_touched *t, san_touch_kind way, uint64_t at, uint64_t bytes,
                           const char *path, uint32_t line);
/* Remove BYTES bytes at AT, because the addresses now belong to other memory. */
void san_touched_remove_range(san_touched *t, uint64_t at, uint64_t bytes);

/* Two accesses to the same bytes, by operations that nothing orders. */
typedef struct san_touched_race {
    uint64_t at, bytes; /* the first bytes that both operations touched, as one range */
    san_range a, b;
    san_touch_kind a_kind, b_kind; /* kinds of the two accesses */
} san_touched_race;

/* Do A and B race, if nothing orders them? They do not if they may synchronise with one another
 * by strong operations on the same word. */
bool san_touched_find_race(san_touched *a, san_touched *b, san_touched_race *out);

/* A new list for the bytes that a kernel touches while the work that it launched as request NUMBER
 * may run. T, the list of the kernel, owns it. NULL: the host is out of memory. */
san_touched *san_touched_by_request(san_touched *t, uint32_t number);
/* The list that san_touched_by_request() has made for request NUMBER; NULL: none. */
san_touched *san_touched_find_request(const san_touched *t, uint32_t number);

struct san_view;
struct san_shadow;
struct ptx_module;
/* Add to T the accesses in shadow S that VIEW does not contain. Reduces *CELLS by the number of
 * shadow cells that it has examined, and stops at 0. */
void san_touched_add_unordered(san_touched *t, struct san_shadow *s, const struct ptx_module *m,
                               const struct san_view *view, uint64_t *cells);

/* Add the bytes that a launch of code of M has touched, from its shadow S. Addresses from FROM
 * up to TO are omitted. */
void san_touched_add_launch(san_touched *t, struct san_shadow *s, const struct ptx_module *m,
                            uint64_t from, uint64_t to);
