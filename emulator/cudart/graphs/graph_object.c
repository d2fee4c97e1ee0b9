/* User objects (Runtime API, "Graph Management"): reference-counted objects of the program that
 * graphs may retain. When the last reference is released, the program's destructor is called, on
 * the thread that released the reference. */
#include "../core/state.h"
#include "graph.h"

#include <stdlib.h>

/* A user object: cudaUserObject_t points to it. */
struct rt_user_object {
    void *data;           /* pointer to the program's data, passed to `destroy` */
    cudaHostFn_t destroy; /* the program's destructor for the data */
    uint64_t refs;        /* number of references to the object, of the program and of graphs */
    rt_user_object *next; /* next in the list of objects to destroy */
};

static rt_user_object *user_object_of_handle(cudaUserObject_t handle)
{
    return rt_handle_is_valid(handle, RT_HANDLE_OBJECT) ? (rt_user_object *)handle : NULL;
}

static void drop_references(rt_user_object *o, unsigned count)
{
    o->refs -= count;
    if (!o->refs) {
        rt_handle_remove(o);
        o->next = rt.graphs.dead;
        rt.graphs.dead = o;
    }
}

void rt_destroy_dead_objects(void)
{
    rt_take_lock_again();
    rt_user_object *o = rt.graphs.dead;
    rt.graphs.dead = NULL;
    rt_release_lock();
    while (o) {
        rt_user_object *next = o->next;
        o->destroy(o->data);
        free(o);
        o = next;
    }
}

/* --- references of graphs --------------------------------------------------------------------- */

static cudaError_t add_references(rt_object_ref **retained_objects, rt_user_object *o,
                                  unsigned count)
{
    for (rt_object_ref *h = *retained_objects; h; h = h->next) {
        if (h->object == o) {
            h->count += count;
            return cudaSuccess;
        }
    }
    rt_object_ref *h = malloc(sizeof *h);
    if (!h)
        return cudaErrorMemoryAllocation;
    *h = (rt_object_ref){o, count, *retained_objects};
    *retained_objects = h;
    return cudaSuccess;
}

cudaError_t rt_object_refs_copy(const rt_object_ref *from, rt_object_ref **to)
{
    for (; from; from = from->next) {
        cudaError_t e = add_references(to, from->object, 1);
        if (e)
            return e;
        from->object->refs++;
    }
    return cudaSuccess;
}

void rt_object_refs_drop(rt_object_ref **retained_objects)
{
    for (rt_object_ref *h = *retained_objects, *next; h; h = next) {
        next = h->next;
        drop_references(h->object, h->count);
        free(h);
    }
    *retained_objects = NULL;
}

/* --- calls ------------------------------------------------------------------------------------ */

cudaError_t cudaUserObjectCreate(cudaUserObject_t *out, void *data, cudaHostFn_t destroy,
                                 unsigned int count, unsigned int flags)
{
    cudaError_t e = rt_lock();
    if (!e && (!out || !destroy || !count || count > INT32_MAX ||
               flags != cudaUserObjectNoDestructorSync))
        e = cudaErrorInvalidValue;
    if (!e) {
        rt_user_object *o = malloc(sizeof *o);
        if (o && rt_handle_add(o, RT_HANDLE_OBJECT)) {
            *o = (rt_user_object){.data = data, .destroy = destroy, .refs = count};
            *out = (cudaUserObject_t)o;
        } else {
            free(o);
            e = cudaErrorMemoryAllocation;
        }
    }
    return rt_unlock(e);
}

static cudaError_t lock_and_find_user_object(cudaUserObject_t handle, unsigned count,
                                             rt_user_object **o)
{
    cudaError_t e = rt_lock();
    *o = user_object_of_handle(handle);
    return e ? e : *o && count && count <= INT32_MAX ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t handle, unsigned int count)
{
    rt_user_object *o;
    cudaError_t e = lock_and_find_user_object(handle, count, &o);
    if (!e)
        o->refs += count;
    return rt_unlock(e);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t handle, unsigned int count)
{
    rt_user_object *o;
    cudaError_t e = lock_and_find_user_object(handle, count, &o);
    e = RT_INVALID_IF(e, count > o->refs);
    if (!e)
        drop_references(o, count);
    rt_unlock(e);
    rt_destroy_dead_objects();
    return e;
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                      unsigned int count, unsigned int flags)
{
    rt_user_object *o;
    cudaError_t e = lock_and_find_user_object(object, count, &o);
    rt_graph *g = rt_graph_of(graph);
    e = RT_INVALID_IF(e, !g || flags & ~(unsigned)cudaGraphUserObjectMove);
    e = RT_INVALID_IF(e, flags & cudaGraphUserObjectMove && count > o->refs);
    e = e ? e : add_references(&g->retained_objects, o, count);
    if (!e && !(flags & cudaGraphUserObjectMove))
        o->refs += count;
    return rt_unlock(e);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                       unsigned int count)
{
    rt_user_object *o;
    cudaError_t e = lock_and_find_user_object(object, count, &o);
    rt_graph *g = rt_graph_of(graph);
    rt_object_ref **p = g ? &g->retained_objects : NULL;
    while (p && *p && (*p)->object != o)
        p = &(*p)->next;
    e = RT_INVALID_IF(e, !p || !*p || (*p)->count < count);
    if (!e) {
        (*p)->count -= count;
        if (!(*p)->count) {
            rt_object_ref *h = *p;
            *p = h->next;
            free(h);
        }
        drop_references(o, count);
    }
    rt_unlock(e);
    rt_destroy_dead_objects();
    return e;
}
