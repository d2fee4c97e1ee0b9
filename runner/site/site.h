/* The command `site`: serves a folder of pages (`make site`) to this machine alone. */
#pragma once

#include "../judge/desk.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    SITE_MAX_HEAD = 8192,  /* bytes of a request's head, at most */
    SITE_MAX_CLIENTS = 64, /* connections at a time */
    SITE_PATIENCE_S =
        10, /* seconds for a request to arrive, or for a part of the answer to leave */
    SITE_DEFAULT_PORT = 8000
};

/* A request that was read. */
typedef struct site_request {
    int status;               /* of the answer; 200: PATH is to be opened */
    bool head;                /* HEAD: no body */
    char path[SITE_MAX_HEAD]; /* below the folder, decoded, without a slash at its begin */
} site_request;

int cli_site(session *d);

/* Read the head of a request, LEN bytes of HEAD up to its empty line, that came to PORT. */
void site_request_read(site_request *r, const char *head, size_t len, int port);
/* Open the file PATH below the directory DIR: never one outside, and through no link; of a
 * directory its index.html. -1: there is none. */
int site_open(int dir, const char *path);
/* The type of a file by its name. */
const char *site_type(const char *path);
/* Answer the one request of the connection SOCKET, from the directory DIR. */
void site_answer(int socket, int dir, int port);
