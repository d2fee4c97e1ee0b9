/* A moment of a walk as the page stores it: only what differs from the moment before. */
#pragma once

#include "conversation.h"

/* What the moments of a walk share, and the state at the last one. */
typedef struct moment_state {
    json_t *functions; /* the functions: name, instructions */
    json_t
        *registers; /* the registers: function, name, type; moments name them by their place here */
    json_t *paths;  /* the source files */
    json_t *shared; /* variables, bytes and type of shared memory; NULL: none yet */
    json_t *values; /* values of the registers at the last moment, by place */
    json_t *words;  /* rows of shared memory at the last moment: values by offset */
    char *request_text, *shared_text; /* the last answers about them, which change seldom */
    char *ptx;                        /* the instruction at the last moment; NULL: there was none */
    size_t function;                  /* of the last moment */
    size_t bytes;                     /* of the moments so far, about */
    int rows;                         /* rows of shared memory to ask for */
} moment_state;

enum { MOMENT_SHARED_ROWS = 64 }; /* rows of 128 bytes of shared memory that are stored, at most */

void moment_state_free(moment_state *s);
/* Send the questions about the current moment, at WHERE, and read their answers as a moment. The
 * last moment of S is that of the warp's instruction before. */
void moment_send_questions(conversation *c, moment_state *s, const json_t *where);
json_t *moment_read_answers(conversation *c, moment_state *s, const json_t *where);
/* What all moments share, as the field of a walk. */
void moment_state_add(const moment_state *s, json_t *walk);
