/* Device memory that another process may use (Runtime API, cudaIpc*). An allocation whose handle a
 * program gets moves to a file in memory; the handle names that file by the process and its
 * descriptor, so the process that opens it must run on the same machine, for the same user. */
#include "ipc.h"
#include "../checks/checks.h"
#include "../core/recorder.h"
#include "../core/state.h"
#include "../graphs/capture.h"
#include "pool.h"
#include "virtual.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char MARK[8] = "wb mem 1";

/* Memory of another process that this one has opened. */
struct rt_opened {
    rt_ipc_handle handle;
    uint64_t at, from, bytes; /* its address; the addresses reserved for it */
    unsigned count;           /* how often it has been opened and not closed */
    struct rt_opened *next;   /* next in the list of all opened memory */
};

/* --- handles ---------------------------------------------------------------------------------- */

bool rt_ipc_write_handle(void *out, const char mark[8], int fd, uint64_t front, uint64_t size)
{
    struct stat is;
    const bool good = fd >= 0 && !fstat(fd, &is);
    if (good) {
        rt_ipc_handle h = {
            .process = getpid(), .file = fd, .inode = is.st_ino, .front = front, .size = size};
        memcpy(h.mark, mark, sizeof h.mark);
        memset(out, 0, RT_IPC_HANDLE_BYTES);
        memcpy(out, &h, sizeof h);
    }
    return good;
}

bool rt_ipc_read_handle(const void *from, const char mark[8], rt_ipc_handle *h)
{
    memcpy(h, from, sizeof *h);
    return memcmp(h->mark, mark, sizeof h->mark) == 0;
}

mem_physical *rt_ipc_open(const rt_ipc_handle *h)
{
    static const char made[] = "/memfd:warpbook device memory";
    char path[64], name[sizeof made];
    struct stat is;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", h->process, h->file);
    /* No other file is opened: that may wait, or do something. */
    if (readlink(path, name, sizeof made - 1) != sizeof made - 1 ||
        memcmp(name, made, sizeof made - 1) != 0)
        return NULL;
    const int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    mem_physical *of =
        fd >= 0 && !fstat(fd, &is) && is.st_ino == h->inode ? mem_physical_open(fd) : NULL;
    if (fd >= 0)
        close(fd);
    if (of && (h->front >= of->size || !h->size || h->size > of->size - h->front)) {
        mem_physical_drop(of);
        of = NULL;
    }
    return of;
}

/* --- memory ----------------------------------------------------------------------------------- */

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *out, void *p)
{
    mem_range r;
    cudaError_t e = rt_lock();
    e = e ? e : rt_capture_check_unsafe();
    if (!e && (!out || !mem_find_range((uintptr_t)p, &r) || r.kind != MEM_DEVICE ||
               rt_pool_holds(r.base)))
        e = rt_error_because(cudaErrorInvalidValue,
                             "only memory of cudaMalloc can be handed to another process");
    e = e ? e : rt_finish_all(); /* the memory moves */
    const int fd = e ? -1 : mem_share_allocation(r.base);
    if (!e && !rt_ipc_write_handle(out, MARK, fd, r.base % mem_page_bytes(), r.size))
        e = cudaErrorOperatingSystem;
    if (!e)
        RT_CALL_RECORDER(unheld, "other processes may write memory (cudaIpcGetMemHandle)");
    return rt_unlock(e);
}

static cudaError_t open_memory(const rt_ipc_handle *h, struct rt_opened **out)
{
    mem_physical *of = rt_ipc_open(h);
    struct rt_opened *o = of ? calloc(1, sizeof *o) : NULL;
    cudaError_t e = !of ? cudaErrorInvalidValue : !o ? cudaErrorMemoryAllocation : 0;
    if (!e) {
        *o = (struct rt_opened){*h, .count = 1, .next = rt.memory.opened};
        o->bytes = (of->size + RT_GRANULARITY - 1) / RT_GRANULARITY * RT_GRANULARITY;
        o->from = mem_reserve_addresses(o->bytes, RT_GRANULARITY, 0);
        o->at = o->from + h->front;
        const mem_mapping m = {.at = o->from,
                               .size = of->size,
                               .of = of,
                               .access = MEM_ACCESS_ALL,
                               .name = "cudaIpcOpenMemHandle opened",
                               .front = h->front,
                               .back = of->size - h->front - h->size};
        if (!o->from || !mem_map_physical(&m)) {
            mem_free_addresses(o->from, o->bytes);
            e = cudaErrorMemoryAllocation;
        }
    }
    if (of)
        mem_physical_drop(of);
    if (e)
        free(o);
    *out = e ? NULL : o;
    return e;
}

cudaError_t cudaIpcOpenMemHandle(void **out, cudaIpcMemHandle_t handle, unsigned int flags)
{
    rt_ipc_handle h;
    const bool is = rt_ipc_read_handle(&handle, MARK, &h);
    cudaError_t e = rt_lock();
    e = RT_INVALID_IF(e, !out || flags != cudaIpcMemLazyEnablePeerAccess || !is);
    if (!e && h.process == getpid()) {
        e = rt_error_because(cudaErrorDeviceUninitialized,
                             "the handle is one of this process, which has the memory already");
    }
    struct rt_opened *o = e ? NULL : rt.memory.opened;
    while (o && memcmp(&o->handle, &h, sizeof h) != 0)
        o = o->next;
    if (o) {
        o->count++;
    } else if (!e) {
        e = open_memory(&h, &o);
        if (!e) {
            rt.memory.opened = o;
            rt_note_object(RT_OPENED_OBJECT, o->at);
            RT_CALL_RECORDER(unheld, "the program uses memory of another process "
                                     "(cudaIpcOpenMemHandle)");
        } else if (e == cudaErrorInvalidValue) {
            e = rt_error_because(e,
                                 "the memory is freed, or process %d has ended or is one of "
                                 "another user",
                                 (int)h.process);
        }
    }
    return RT_UNLOCK_WITH(e, out, (void *)(uintptr_t)o->at);
}

cudaError_t cudaIpcCloseMemHandle(void *p)
{
    cudaError_t e = rt_lock();
    struct rt_opened **slot = &rt.memory.opened;
    while (*slot && (*slot)->at != (uintptr_t)p)
        slot = &(*slot)->next;
    struct rt_opened *o = *slot;
    e = RT_INVALID_IF(e, !o);
    e = e ? e : rt_finish_all();
    if (!e && --o->count == 0) {
        mem_mapping m;
        if (mem_find_mapping(o->at, &m))
            mem_unmap_physical(m.at, m.size);
        mem_free_addresses(o->from, o->bytes);
        rt_note_object_destroyed(RT_OPENED_OBJECT, o->at);
        *slot = o->next;
        free(o);
    }
    return rt_unlock(e);
}
