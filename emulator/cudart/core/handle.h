/* The set of valid handles that the runtime has returned: pointers, each with the kind of object
 * that it refers to. Call these functions with the runtime's lock held. */
#pragma once

#include <stdbool.h>

/* What a handle refers to. */
typedef enum rt_handle_kind {
    RT_HANDLE_NONE,   /* no object */
    RT_HANDLE_GRAPH,  /* a graph */
    RT_HANDLE_NODE,   /* a node of a graph */
    RT_HANDLE_EXEC,   /* an executable graph */
    RT_HANDLE_OBJECT, /* a user object of a graph */
    RT_HANDLE_LIBRARY /* a library */
} rt_handle_kind;

/* Add P to the set of valid handles. Returns false if the host is out of memory. */
bool rt_handle_add(const void *p, rt_handle_kind what);
void rt_handle_remove(const void *p);                        /* P is no longer a valid handle */
bool rt_handle_is_valid(const void *p, rt_handle_kind what); /* is P a handle of that kind? */
