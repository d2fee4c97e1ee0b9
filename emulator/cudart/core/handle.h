/* The handles that the runtime has given out and that are still valid: pointers, each with the kind
 * of object it refers to. Call these functions with the runtime's lock held. */
#ifndef WARPBOOK_HANDLE_H
#define WARPBOOK_HANDLE_H

#include <stdbool.h>

typedef enum rt_handle {
    RT_HANDLE_NONE,
    RT_HANDLE_GRAPH,
    RT_HANDLE_NODE,
    RT_HANDLE_EXEC,
    RT_HANDLE_OBJECT,
    RT_HANDLE_LIBRARY
} rt_handle;

/* Returns false if the host is out of memory. */
bool rt_handle_add(const void *p, rt_handle what);
void rt_handle_remove(const void *p);
bool rt_handle_is(const void *p, rt_handle what);

#endif
