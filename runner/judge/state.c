#include "history.h"

#include "../base/files.h"
#include "../base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum { STATE_LIMIT = 8 << 20 }; /* largest size of a state file that is read, in bytes */

static void set_warning(saved_state *s, char *sentence)
{
    if (s->warning) {
        free(sentence);
        return;
    }
    s->warning = sentence;
}

char *state_take_warning(saved_state *s)
{
    char *w = s->warning;
    s->warning = NULL;
    return w;
}

static json_t *new_empty_state(void)
{
    return json_pack("{s:i, s:{}}", "version", STATE_VERSION, "chapters");
}

/* Rename an unusable state file, so that a new one can be written; never overwrite another file. */
static void set_damaged_state_aside(saved_state *s, const char *why)
{
    char stamp[32];
    local_time_stamp(stamp);
    for (int i = 0; i < 100; i++) {
        OWNED char *aside =
            i ? xprintf("%s.kept-%s-%d", s->path, stamp, i) : xprintf("%s.kept-%s", s->path, stamp);
        if (access(aside, F_OK) != 0) {
            if (rename(s->path, aside) == 0) {
                set_warning(
                    s, xprintf("%s %s. It is kept as %s; your progress starts again from nothing.",
                               s->path, why, aside));
            } else {
                set_warning(
                    s, xprintf("%s %s, and cannot be moved aside (%s): your progress is not saved.",
                               s->path, why, strerror(errno)));
                s->read_only = true;
            }
            return;
        }
    }
}

static void load_state(saved_state *s)
{
    s->file_version_read = file_version(s->path);
    json_auto_t *old = s->root;
    s->root = NULL;
    size_t len;
    OWNED char *text = read_whole_file(s->path, STATE_LIMIT, &len);
    if (!text && errno != ENOENT && errno != ENOTDIR) {
        if (!s->read_only)
            set_warning(s, xprintf("%s cannot be read (%s): your progress is not saved.", s->path,
                                   strerror(errno)));
        s->read_only = true;
    }
    if (text) {
        json_error_t error;
        json_auto_t *root = json_loadb(text, len, 0, &error);
        json_t *version = json_object_get(root, "version");
        if (!root) {
            OWNED char *why = xprintf("is damaged (line %d: %s)", error.line, error.text);
            set_damaged_state_aside(s, why);
        } else if (json_is_integer(version) && json_integer_value(version) > STATE_VERSION) {
            OWNED char *why =
                xprintf("was written by a newer warpbook (version %d; this one knows %d)",
                        (int)json_integer_value(version), STATE_VERSION);
            set_damaged_state_aside(s, why);
        } else if (!json_is_integer(version) ||
                   !json_is_object(json_object_get(root, "chapters"))) {
            set_damaged_state_aside(s, "is damaged (it is not a state file)");
        } else {
            s->root = json_incref(root);
        }
    }
    if (!s->root && s->read_only && old)
        s->root = json_incref(old); /* keep the progress that this process already has in memory */
    if (!s->root)
        s->root = new_empty_state();
}

void state_open(saved_state *s, const installation *h)
{
    *s = (saved_state){.dir = xstrdup(h->state)};
    s->path = xprintf("%s/state.json", h->state);
    load_state(s);
}

void state_close(saved_state *s)
{
    json_decref(s->root);
    free(s->path);
    free(without_const(s->dir));
    free(s->warning);
    *s = (saved_state){0};
}

bool state_refresh(saved_state *s)
{
    if (s->read_only || file_version(s->path) == s->file_version_read)
        return false;
    load_state(s);
    return true;
}

/* --- changing the state: lock and read the file, change s->root, write and unlock the file --- */

static int lock_and_read_state(saved_state *s)
{
    if (s->read_only)
        return -1;
    OWNED char *lock = xprintf("%s/lock", s->dir);
    int fd = -1;
    if (make_directories(s->dir))
        fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int why = errno;
    if (fd < 0) {
        set_warning(s, xprintf("%s cannot be written (%s): your progress is not saved. Make it "
                               "writable, or set WARPBOOK_STATE to a directory that is.",
                               s->dir, strerror(why)));
        s->read_only = true;
        return -1;
    }
    while (flock(fd, LOCK_EX) != 0 && errno == EINTR)
        ;
    load_state(s);
    return fd;
}

static void write_and_unlock_state(saved_state *s, int lock)
{
    if (lock >= 0 && !s->read_only) {
        OWNED char *text = json_dumps(s->root, JSON_INDENT(1) | JSON_SORT_KEYS);
        if (!text || !write_whole_file(s->path, text, strlen(text))) {
            set_warning(
                s,
                xprintf(
                    "%s cannot be written (%s): your progress is not saved; the old file is kept.",
                    s->path, strerror(text ? errno : ENOMEM)));
            s->read_only = true;
        }
        s->file_version_read = file_version(s->path);
    }
    if (lock >= 0)
        close(lock);
}

static json_t *member_object_or_new(json_t *object, const char *key)
{
    json_t *found = json_object_get(object, key);
    if (!json_is_object(found)) {
        found = json_object();
        json_object_set_new(object, key, found);
    }
    return found;
}

/* The name under which C is kept: its own, or that of another number. NULL: none. */
static const char *kept_name(json_t *chapters, const chapter *c)
{
    const char *key, *topic = strchr(c->name, '-');
    json_t *entry;
    if (json_object_get(chapters, c->name))
        return c->name;
    json_object_foreach(chapters, key, entry) {
        const char *dash = strchr(key, '-');
        if (dash && strcmp(dash, topic) == 0 && starts_with(key, "labs/") == c->assignment)
            return key;
    }
    return NULL;
}

json_t *state_chapter_entry(const saved_state *s, const chapter *c)
{
    json_t *chapters = json_object_get(s->root, "chapters");
    const char *name = kept_name(chapters, c);
    return name ? json_object_get(chapters, name) : NULL;
}

static json_t *chapter_entry_or_new(saved_state *s, const chapter *c)
{
    json_t *chapters = member_object_or_new(s->root, "chapters");
    const char *name = kept_name(chapters, c);
    if (name && name != c->name) {
        json_t *entry = json_object_get(chapters, name);
        json_object_set_new(entry, "number_before", json_integer(atoi(name)));
        json_object_set(chapters, c->name, entry);
        json_object_del(chapters, name);
    }
    return member_object_or_new(chapters, c->name);
}

/* The number that C had when its name was NAME, if it is another one now; -1: none is known. */
static json_int_t number_before(json_t *chapters, const chapter *c, const char *name)
{
    json_t *before = json_object_get(json_object_get(chapters, name), "number_before");
    return name != c->name ? atoi(name) : before ? json_integer_value(before) : -1;
}

const chapter *state_numbered_before(const saved_state *s, const book *b, int number)
{
    json_t *chapters = json_object_get(s->root, "chapters");
    for (size_t i = 0; i < b->count; i++) {
        const chapter *c = &b->chapters[i];
        const char *name = c->assignment ? NULL : kept_name(chapters, c);
        if (name && number_before(chapters, c, name) == number)
            return c;
    }
    return NULL;
}

lab_progress state_progress(const saved_state *s, const chapter *c)
{
    if (state_ever_passed(s, c))
        return PROGRESS_PASS;
    return state_last_reason(s, c) ? PROGRESS_FAIL : PROGRESS_NEW;
}

bool state_ever_passed(const saved_state *s, const chapter *c)
{
    return json_is_true(json_object_get(state_chapter_entry(s, c), "passed"));
}

const char *state_last_reason(const saved_state *s, const chapter *c)
{
    return member_text(state_chapter_entry(s, c), "reason");
}

verdict_kind state_last_verdict(const saved_state *s, const chapter *c)
{
    const char *last = member_text(state_chapter_entry(s, c), "last");
    return last ? verdict_from_id(last) : VERDICT_FAIL;
}

void state_set_result(saved_state *s, const chapter *c, const verdict *v)
{
    if (v->kind == VERDICT_CANCELLED || v->kind == VERDICT_LACKS || v->kind == VERDICT_BROKEN)
        return; /* the verdict says nothing about the student's work */
    int lock = lock_and_read_state(s);
    json_t *entry = chapter_entry_or_new(s, c);
    json_object_set_new(entry, "last", json_string(verdict_id(v->kind)));
    json_object_set_new(entry, "reason", text_json(v->reason ? v->reason : ""));
    if (v->device)
        json_object_set_new(entry, "device", json_string(v->device));
    if (v->kind == VERDICT_PASS)
        json_object_set_new(entry, "passed", json_true());
    history_add_try(entry, v);
    write_and_unlock_state(s, lock);
}

void state_forget_result(saved_state *s, const chapter *c)
{
    int lock = lock_and_read_state(s);
    json_t *entry = chapter_entry_or_new(s, c);
    json_object_del(entry, "last");
    json_object_del(entry, "reason");
    json_object_del(entry, "device");
    write_and_unlock_state(s, lock);
}

void state_take_entry(saved_state *s, const chapter *c, json_t *entry)
{
    json_object_set(member_object_or_new(s->root, "chapters"), c->name, entry);
}

size_t state_shown_hint_count(const saved_state *s, const chapter *c, int region)
{
    char key[16];
    snprintf(key, sizeof key, "%d", region);
    json_int_t n = json_integer_value(
        json_object_get(json_object_get(state_chapter_entry(s, c), "hints"), key));
    return n > 0 ? (size_t)n : 0;
}

void state_set_shown_hint_count(saved_state *s, const chapter *c, int region, size_t shown)
{
    char key[16];
    snprintf(key, sizeof key, "%d", region);
    int lock = lock_and_read_state(s);
    json_object_set_new(member_object_or_new(chapter_entry_or_new(s, c), "hints"), key,
                        json_integer((json_int_t)shown));
    write_and_unlock_state(s, lock);
}

bool state_get_prediction(const saved_state *s, const chapter *c, const prediction *p, double *said)
{
    OWNED char *key = xprintf("%s %s", p->kernel, p->metric);
    json_t *v = json_object_get(json_object_get(state_chapter_entry(s, c), "predictions"), key);
    *said = json_number_value(v);
    return json_is_number(v);
}

void state_set_prediction(saved_state *s, const chapter *c, const prediction *p, double said)
{
    OWNED char *key = xprintf("%s %s", p->kernel, p->metric);
    int lock = lock_and_read_state(s);
    json_t *all = member_object_or_new(chapter_entry_or_new(s, c), "predictions");
    if (json_number_value(json_object_get(all, key)) != said)
        json_object_del(json_object_get(chapter_entry_or_new(s, c), "whys"), key);
    json_object_set_new(all, key, json_real(said));
    write_and_unlock_state(s, lock);
}

/* A sentence that a student typed, as JSON: without control characters, and cut if it is long. */
static json_t *sentence_json(const char *said)
{
    enum { LONGEST = 400 }; /* bytes */
    CLEANUP(sb_free) sb kept = {0};
    for (const unsigned char *p = (const unsigned char *)said; *p; p++) {
        const bool c1 = p[0] == 0xC2 && p[1] >= 0x80 && p[1] < 0xA0;
        const bool begins = (*p & 0xC0) != 0x80;
        if (begins && kept.len > LONGEST - 4) /* a character has 4 bytes at most */
            break;
        if (c1)
            p++;
        else if (*p >= ' ' && *p != 127)
            sb_add(&kept, (const char *)p, 1);
    }
    return text_json(kept.s ? kept.s : "");
}

const char *state_prediction_why(const saved_state *s, const chapter *c, const prediction *p)
{
    OWNED char *key = xprintf("%s %s", p->kernel, p->metric);
    json_t *v = json_object_get(json_object_get(state_chapter_entry(s, c), "whys"), key);
    return json_string_value(v);
}

void state_set_prediction_why(saved_state *s, const chapter *c, const prediction *p,
                              const char *said)
{
    OWNED char *key = xprintf("%s %s", p->kernel, p->metric);
    int lock = lock_and_read_state(s);
    json_object_set_new(member_object_or_new(chapter_entry_or_new(s, c), "whys"), key,
                        sentence_json(said));
    write_and_unlock_state(s, lock);
}

static json_t *answer_entry(const saved_state *s, const chapter *c, int number)
{
    char key[16];
    snprintf(key, sizeof key, "%d", number);
    return json_object_get(json_object_get(state_chapter_entry(s, c), "quiz"), key);
}

quiz_answer state_last_answer(const saved_state *s, const chapter *c, int number)
{
    json_t *entry = answer_entry(s, c, number);
    return (quiz_answer){.said = member_text(entry, "said"),
                         .tries = (int)json_integer_value(json_object_get(entry, "tries")),
                         .right = json_is_true(json_object_get(entry, "right"))};
}

void state_add_answer(saved_state *s, const chapter *c, int number, const char *said, bool right)
{
    char key[16];
    snprintf(key, sizeof key, "%d", number);
    int lock = lock_and_read_state(s);
    json_t *entry =
        member_object_or_new(member_object_or_new(chapter_entry_or_new(s, c), "quiz"), key);
    if (!json_is_true(json_object_get(entry, "right"))) {
        json_object_set_new(entry, "said", text_json(said));
        json_int_t tries = json_integer_value(json_object_get(entry, "tries"));
        json_object_set_new(entry, "tries", json_integer(tries + 1));
        json_object_set_new(entry, "right", json_boolean(right));
    }
    write_and_unlock_state(s, lock);
}

const char *state_why(const saved_state *s, const chapter *c)
{
    return member_text(state_chapter_entry(s, c), "why");
}

void state_set_why(saved_state *s, const chapter *c, const char *said)
{
    int lock = lock_and_read_state(s);
    json_object_set_new(chapter_entry_or_new(s, c), "why", sentence_json(said));
    write_and_unlock_state(s, lock);
}

reading_place state_reading_place(const saved_state *s)
{
    json_t *place = json_object_get(s->root, "place");
    return (reading_place){
        .chapter = member_text(place, "chapter"),
        .tab = (int)json_integer_value(json_object_get(place, "tab")),
        .thousandths = (int)json_integer_value(json_object_get(place, "thousandths")),
    };
}

void state_set_reading_place(saved_state *s, const reading_place *p)
{
    int lock = lock_and_read_state(s);
    json_t *place = member_object_or_new(s->root, "place");
    json_object_set_new(place, "chapter", json_string(p->chapter));
    json_object_set_new(place, "tab", json_integer(p->tab));
    json_object_set_new(place, "thousandths", json_integer(p->thousandths));
    write_and_unlock_state(s, lock);
}

const char *state_chosen_device(const saved_state *s)
{
    return member_text(s->root, "device");
}

void state_set_chosen_device(saved_state *s, const char *device)
{
    int lock = lock_and_read_state(s);
    json_object_set_new(s->root, "device", json_string(device));
    write_and_unlock_state(s, lock);
}
