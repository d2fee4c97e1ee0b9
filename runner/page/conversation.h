/* Questions to the replayer and its answers (emulator/debugger/step/PROTOCOL.md), one by one. */
#pragma once

#include "../base/coprocess.h"

#include <jansson.h>

typedef struct conversation {
    coprocess *e;
    double limit;   /* time at which waiting ends, as monotonic_s */
    bool is_broken; /* the replayer has ended, or takes too long: no answer comes any more */
    char *error;    /* why the last answer is NULL, or why the conversation is broken */
} conversation;

/* Start the replayer with ARGV, looking for SANITIZE's mistakes; it answers `where` first. */
void conversation_start(conversation *c, const char *const *argv, const char *sanitize,
                        double limit_s);
void conversation_end(conversation *c);

/* Send a command, to be answered later. */
void conversation_send(conversation *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The next answer (new reference); NULL: the command failed, and c->error says why. */
json_t *conversation_answer(conversation *c);
/* Likewise; NULL also if its text is *LAST, that of an earlier answer, which it then takes over. */
json_t *conversation_new_answer(conversation *c, char **last);
/* Send a command and wait for its answer. */
json_t *conversation_ask(conversation *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Field KEY of an answer; OTHERWISE: it has none. */
long long answer_number(const json_t *answer, const char *key, long long otherwise);
