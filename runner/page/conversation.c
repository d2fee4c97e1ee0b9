#include "conversation.h"

#include "../base/job.h"
#include "../base/json.h"

#include <stdlib.h>
#include <string.h>

static void set_error(conversation *c, char *sentence)
{
    free(c->error);
    c->error = sentence;
}

/* The next line of the replayer; NULL: there will be none. */
static const char *wait_for_line(conversation *c, size_t *len)
{
    bool too_long;
    const char *line = coprocess_wait_for_line(c->e, c->limit, len, &too_long);
    if (!line) {
        set_error(c, coprocess_ended(c->e) ? coprocess_end_sentence(c->e)
                                           : xstrdup("The walk takes too long."));
        c->is_broken = true;
    }
    return line && too_long ? "" : line;
}

json_t *conversation_new_answer(conversation *c, char **last)
{
    const char *line;
    size_t len;
    while (!c->is_broken && (line = wait_for_line(c, &len))) {
        if (last && *last && strlen(*last) == len && memcmp(*last, line, len) == 0)
            return NULL;
        json_t *o = len && *line == '{' ? json_loadb(line, len, 0, NULL) : NULL;
        if (len && !o)
            continue; /* something else that the replayer printed */
        if (o && !json_object_get(o, "ok")) {
            json_decref(o);
            continue; /* an event */
        }
        if (o && json_is_true(json_object_get(o, "ok"))) {
            if (last) {
                free(*last);
                *last = xprintf("%.*s", (int)len, line);
            }
            return o;
        }
        const char *why = o ? member_text(o, "error") : NULL;
        set_error(c, xstrdup(why ? why : "The replayer's answer is too long to be read."));
        json_decref(o);
        return NULL;
    }
    return NULL;
}

json_t *conversation_answer(conversation *c)
{
    return conversation_new_answer(c, NULL);
}

static void send_line(conversation *c, const char *format, va_list args)
{
    OWNED char *line = xvprintf(format, args);
    if (!c->is_broken)
        coprocess_send(c->e, line);
}

void conversation_send(conversation *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    send_line(c, format, args);
    va_end(args);
}

json_t *conversation_ask(conversation *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    send_line(c, format, args);
    va_end(args);
    return conversation_answer(c);
}

void conversation_start(conversation *c, const char *const *argv, const char *sanitize,
                        double limit_s)
{
    const char *const env[] = {"WARPBOOK_STEP=json", sanitize, NULL};
    *c = (conversation){.e = coprocess_start("The replayer", argv, env),
                        .limit = monotonic_s() + limit_s};
}

void conversation_end(conversation *c)
{
    coprocess_free(c->e);
    free(c->error);
    *c = (conversation){0};
}

long long answer_number(const json_t *answer, const char *key, long long otherwise)
{
    const json_t *v = json_object_get(answer, key);
    return json_is_integer(v) ? (long long)json_integer_value(v) : otherwise;
}
