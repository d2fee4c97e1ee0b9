/* Events of several processes: each record has a number, and the page says which have been reached.
 */
#include "event_share.h"

#include "../memory/ipc.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char MARK[8] = "wb evt 1";

/* The page. Another process writes it, which may mean harm: any values are allowed. */
typedef struct event_page {
    _Atomic uint64_t made;    /* number of records that were made */
    _Atomic uint64_t reached; /* the highest number of one that was reached */
} event_page;

struct rt_event_share {
    mem_physical *of; /* the page */
    unsigned users;   /* events and operations that use it; the lock guards it */
};

typedef struct share_op {
    rt_event_share *share;
    uint64_t number; /* of the record */
} share_op;
const size_t rt_event_share_op_bytes = sizeof(share_op);

static event_page *page_of(const rt_event_share *s)
{
    return s->of->view;
}

static rt_event_share *share_of(mem_physical *of)
{
    rt_event_share *s = of ? malloc(sizeof *s) : NULL;
    if (s)
        *s = (rt_event_share){of, 1};
    else if (of)
        mem_physical_drop(of);
    return s;
}

rt_event_share *rt_event_share_new(void)
{
    return share_of(mem_new_shared_page());
}

bool rt_event_share_is_own(const void *from)
{
    rt_ipc_handle h;
    return rt_ipc_read_handle(from, MARK, &h) && h.process == getpid();
}

rt_event_share *rt_event_share_open(const void *from)
{
    rt_ipc_handle h;
    return share_of(rt_ipc_read_handle(from, MARK, &h) ? rt_ipc_open(&h) : NULL);
}

void rt_event_share_drop(rt_event_share *s)
{
    if (s && --s->users == 0) {
        mem_physical_drop(s->of);
        free(s);
    }
}

bool rt_event_share_write_handle(const rt_event_share *s, void *out)
{
    return rt_ipc_write_handle(out, MARK, s->of->fd, 0, s->of->size);
}

static void drop_share_of_op(rt_op *op)
{
    rt_event_share_drop(((share_op *)op->data)->share);
}

static void use_share(rt_event_share *s, rt_op *op, uint64_t number, void (*run)(rt_op *op))
{
    *(share_op *)op->data = (share_op){s, number};
    s->users++;
    op->run = run;
    op->dispose = drop_share_of_op;
}

static void run_record(rt_op *op)
{
    const share_op *o = op->data;
    event_page *page = page_of(o->share);
    uint64_t last = page->reached;
    while (last < o->number && !atomic_compare_exchange_weak(&page->reached, &last, o->number))
        ;
}

void rt_event_share_record(rt_event_share *s, rt_op *op)
{
    use_share(s, op, atomic_fetch_add(&page_of(s)->made, 1) + 1, run_record);
}

static bool is_reached(const event_page *page, uint64_t number)
{
    return page->reached >= number;
}

bool rt_event_share_is_reached(const rt_event_share *s)
{
    return is_reached(page_of(s), page_of(s)->made);
}

static void wait_for_record(const event_page *page, uint64_t number)
{
    const struct timespec pause = {.tv_nsec = 100000};
    while (!is_reached(page, number))
        nanosleep(&pause, NULL);
}

void rt_event_share_finish(const rt_event_share *s)
{
    const event_page *page = page_of(s);
    const uint64_t number = page->made;
    rt_release_lock();
    wait_for_record(page, number);
    rt_take_lock_again();
}

static void run_wait(rt_op *op)
{
    const share_op *o = op->data;
    wait_for_record(page_of(o->share), o->number);
}

void rt_event_share_wait(rt_event_share *s, rt_op *op)
{
    use_share(s, op, page_of(s)->made, run_wait);
}
