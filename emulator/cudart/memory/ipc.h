/* Handles that name something of one process to another of the same machine and user. */
#pragma once

#include "../../memory/mapped.h"

#include <sys/types.h>

enum { RT_IPC_HANDLE_BYTES = 64 }; /* size of the toolkit's handles */

/* What a handle holds. It comes from another program, so nothing in it is believed. */
typedef struct rt_ipc_handle {
    char mark[8];          /* of what it is a handle */
    int32_t process, file; /* the process that made it, and its descriptor of the memory's file */
    uint64_t inode;        /* of the file: a descriptor may have been closed and used again */
    uint64_t front, size;  /* where in the file the memory begins; bytes */
} rt_ipc_handle;

/* Write the handle that names the file FD of this process to OUT. False: there is none. */
bool rt_ipc_write_handle(void *out, const char mark[8], int fd, uint64_t front, uint64_t size);
/* Read the handle at FROM. Returns false if it has another MARK. */
bool rt_ipc_read_handle(const void *from, const char mark[8], rt_ipc_handle *h);
/* The memory that H names; NULL: there is no such file, or it was not made for this. */
mem_physical *rt_ipc_open(const rt_ipc_handle *h);
