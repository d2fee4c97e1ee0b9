#include "serve.h"

#include "../base/json.h"
#include "../base/signals.h"
#include "../run/attempt.h"
#include "pages.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_LIVE_BYTES = 64 << 10 }; /* output of a running lab that is shown, at most */

typedef struct server {
    session *d;
    lab_view *views; /* one for each chapter */
    attempt *a;      /* the build and run of a lab in progress, or NULL */
    json_int_t run;  /* the number that the screen gave `a` */
    size_t chapter;  /* index of the chapter whose lab `a` runs */
    bool solution;   /* `a` runs the solution */
    size_t seen; /* a number made of the output length, phase and progress of `a`, to notice that
                    one has changed */
    access_pictures accesses;
    bool quit; /* the screen ends */
} server;

static void send_json(json_t *message)
{
    OWNED char *text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    puts(text ? text : "{}");
    fflush(stdout);
}

/* --- the run in progress --- */

static const char *phase_sentence(attempt_phase phase)
{
    static const char *const doing[] = {
        [ATTEMPT_BUILDING] = "nvcc is building it.",
        [ATTEMPT_RUNNING] = "It is running.",
        [ATTEMPT_COUNTING] = "It runs again under ncu, which counts.",
        [ATTEMPT_REBUILDING] = "nvcc is building it for the emulator, which counts the rest.",
        [ATTEMPT_EMULATING] = "It runs on the emulator, which counts what ncu did not.",
        [ATTEMPT_PAIRING] = "It and the book's solution are timed in turn.",
        [ATTEMPT_SEARCHING] = "Its checks run again, with every access watched.",
        [ATTEMPT_TRYING] = "",
        [ATTEMPT_DONE] = "",
    };
    return doing[phase];
}

/* What the screen must know of the last run of a lab besides its pages; null: it was not run. */
static json_t *view_json(const lab_view *w)
{
    if (!w->has_verdict)
        return json_null();
    json_t *guesses = json_array();
    for (size_t i = 0; i < w->v.guess_count; i++) {
        const prediction_row *g = &w->v.guesses[i];
        json_array_append_new(guesses, json_pack("{s:o, s:b, s:b}", "counted",
                                                 g->known ? number_json(g->counted) : json_null(),
                                                 "answered", g->answered, "right", g->right));
    }
    return json_pack("{s:b, s:s, s:o, s:o, s:o}", "solution", w->of_solution, "kind",
                     verdict_id(w->v.kind), "reason", text_json(w->v.reason), "seed",
                     text_json(w->v.seed), "guesses", guesses);
}

static void forget_verdict(lab_view *w)
{
    verdict_free(&w->v);
    *w = (lab_view){0};
}

static void end_run(server *s)
{
    attempt_free(s->a);
    s->a = NULL;
}

static void send_result(server *s)
{
    lab_view *w = &s->views[s->chapter];
    forget_verdict(w);
    attempt_take_verdict(s->a, &w->v);
    end_run(s);
    w->has_verdict = true;
    w->of_solution = s->solution;
    /* What could not be written is known to this process only. */
    json_t *entry = s->d->state.read_only
                        ? state_chapter_entry(&s->d->state, &s->d->book.chapters[s->chapter])
                        : NULL;
    send_json(json_pack("{s:s, s:I, s:o, s:O?}", "event", "done", "run", s->run, "view",
                        view_json(w), "entry", entry));
}

static void send_news(server *s)
{
    size_t len;
    const char *output = attempt_program_output(s->a, &len);
    const attempt_phase phase = attempt_current_phase(s->a);
    const attempt_progress *n = attempt_current_progress(s->a);
    const size_t now = 16 * len + 2 * phase + (n->seconds > 0) + 1;
    if (now == s->seen)
        return;
    s->seen = now;
    send_json(json_pack("{s:s, s:I, s:s, s:s, s:o, s:b, s:o}", "event", "run", "run", s->run,
                        "word", attempt_phase_word(phase), "doing", phase_sentence(phase),
                        "mistake", text_json(n->mistake), "right", n->all_passed, "output",
                        text_json(len > MAX_LIVE_BYTES ? output + len - MAX_LIVE_BYTES : output)));
}

static void continue_run(server *s)
{
    if (s->a && attempt_poll(s->a, 0))
        send_result(s);
    else if (s->a)
        send_news(s);
    OWNED char *warning = state_take_warning(&s->d->state);
    if (warning)
        send_json(json_pack("{s:s, s:o}", "event", "warning", "text", text_json(warning)));
}

/* --- requests --- */

/* The chapter that a request names; SIZE_MAX: none. */
static size_t chapter_of(const server *s, json_t *request)
{
    const char *name = member_text(request, "chapter");
    for (size_t i = 0; name && i < s->d->book.count; i++)
        if (strcmp(s->d->book.chapters[i].name, name) == 0)
            return i;
    return SIZE_MAX;
}

static bool is_set(json_t *request, const char *key)
{
    return json_is_true(json_object_get(request, key));
}

static void start_run(server *s, json_t *request)
{
    end_run(s);
    s->run = json_integer_value(json_object_get(request, "run"));
    s->chapter = chapter_of(s, request);
    s->solution = is_set(request, "solution");
    s->seen = 0;
    const attempt_options o = {.solution = s->solution,
                               .gpu = is_set(request, "gpu"),
                               .timeout_s = json_number_value(json_object_get(request, "timeout"))};
    s->a = attempt_start(&s->d->installation, &s->d->book.chapters[s->chapter], &s->d->state, &o);
}

/* Rebuild the verdict of a lab's last run from its files, since another program may have run it. */
static json_t *recall_view(server *s, json_t *request)
{
    const size_t i = chapter_of(s, request);
    lab_view *w = &s->views[i];
    const attempt_options o = {.gpu = is_set(request, "gpu")};
    forget_verdict(w);
    w->has_verdict = attempt_recall_verdict(&s->d->installation, &s->d->book.chapters[i],
                                            &s->d->state, &o, &w->v);
    return json_pack("{s:o}", "view", view_json(w));
}

static page_request page_wanted(const server *s, json_t *request, page *p)
{
    return (page_request){
        .d = s->d,
        .c = &s->d->book.chapters[chapter_of(s, request)],
        .page = p,
        .columns = (size_t)json_integer_value(json_object_get(request, "columns")),
        .gpu = is_set(request, "gpu"),
        .brief = is_set(request, "brief"),
        .more = is_set(request, "more"),
        .asking = (size_t)json_integer_value(json_object_get(request, "asking")),
        .field = member_text(request, "field"),
    };
}

static json_t *make_page(server *s, json_t *request,
                         void (*make)(const page_request *r, const lab_view *w))
{
    CLEANUP(page_free) page p = {0};
    const page_request r = page_wanted(s, request, &p);
    make(&r, &s->views[chapter_of(s, request)]);
    return json_pack("{s:o}", "page", page_json(&p));
}

static json_t *show_verdict(server *s, json_t *request)
{
    return make_page(s, request, make_verdict_page);
}

static json_t *show_counters(server *s, json_t *request)
{
    return make_page(s, request, make_counters_page);
}

/* Picture AT of the memory accesses; the tables are read if they are not those in memory. */
static json_t *show_accesses(server *s, json_t *request)
{
    page p = {0};
    char err[512];
    access_pictures *a = &s->accesses;
    const page_request r = page_wanted(s, request, &p);
    const bool solution = is_set(request, "solution");
    if ((a->run.t.c != r.c || a->run.t.solution != solution || is_set(request, "read")) &&
        !access_pictures_read(a, s->d, r.c, solution, err, sizeof err)) {
        access_pictures_free(a);
        return json_pack("{s:s}", "error", err);
    }
    make_access_pictures(&r, a, (size_t)json_integer_value(json_object_get(request, "at")));
    json_t *lines = json_array();
    for (size_t i = 0; i < a->count; i++)
        json_array_append_new(lines, json_integer(a->lines[i]));
    json_t *answer = json_pack("{s:o, s:o}", "lines", lines, "page", page_json(&p));
    page_free(&p);
    return answer;
}

static const struct {
    const char *what;
    json_t *(*answer)(server *s, json_t *request);
} questions[] = {{"view", recall_view},
                 {"verdict", show_verdict},
                 {"counters", show_counters},
                 {"accesses", show_accesses}};

static void serve_request(server *s, json_t *request)
{
    const char *what = member_text(request, "do");
    const size_t named = chapter_of(s, request);
    json_t *unwritten = json_object_get(request, "entry");
    if (json_is_object(unwritten) && named != SIZE_MAX)
        state_take_entry(&s->d->state, &s->d->book.chapters[named], unwritten);
    if (!what) {
        return;
    } else if (strcmp(what, "stop") == 0) {
        end_run(s);
    } else if (strcmp(what, "quit") == 0) {
        s->quit = true;
    } else if (strcmp(what, "cancel") == 0) {
        if (s->a)
            attempt_cancel(s->a);
    } else if (named == SIZE_MAX) {
        send_json(json_pack("{s:s}", "error", "This chapter is new: open the workbook again."));
    } else if (strcmp(what, "run") == 0) {
        start_run(s, request);
    } else {
        for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
            if (strcmp(what, questions[i].what) == 0)
                send_json(questions[i].answer(s, request));
    }
}

/* Serve the whole lines at the beginning of IN, and remove them. */
static void serve_lines(server *s, sb *in)
{
    char *end;
    while (in->len && (end = memchr(in->s, '\n', in->len))) {
        const size_t line = (size_t)(end - in->s) + 1;
        json_auto_t *request = json_loadb(in->s, line, 0, NULL);
        serve_request(s, request);
        memmove(in->s, in->s + line, in->len - line);
        in->len -= line;
    }
}

int serve_screen(session *d)
{
    server s = {.d = d, .views = xmalloc((d->book.count + 1) * sizeof *s.views)};
    memset(s.views, 0, (d->book.count + 1) * sizeof *s.views);
    CLEANUP(sb_free) sb in = {0};
    while (!s.quit && !caught_signal_number()) {
        char chunk[4096];
        struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
        if (poll(&p, 1, s.a ? ATTEMPT_POLL_MS : -1) > 0) {
            const ssize_t n = read(STDIN_FILENO, chunk, sizeof chunk);
            s.quit = n == 0 || (n < 0 && errno != EINTR);
            sb_add(&in, chunk, n > 0 ? (size_t)n : 0);
        }
        state_refresh(&d->state); /* the screen keeps predictions there */
        serve_lines(&s, &in);
        continue_run(&s);
    }
    end_run(&s);
    access_pictures_free(&s.accesses);
    for (size_t i = 0; i < d->book.count; i++)
        forget_verdict(&s.views[i]);
    free(s.views);
    return EXIT_PASS;
}
