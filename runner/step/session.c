#include "session.h"

#include "../base/job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUERY_BIT(query) (1u << (query)) /* in a set of answers, the bit of query_kind QUERY */

/* Bits of the answers that stay valid after a move, while the source file is the same. */
static const unsigned answers_kept_after_moves = QUERY_BIT(ASK_SOURCE);

static void replace_string(char **text, char *to)
{
    free(*text);
    *text = to;
}

static void drop_pending_commands(step_session *w)
{
    for (size_t i = 0; i < w->pending_count; i++)
        free(w->pending[i].line);
    w->pending_count = 0;
}

static void expect_answer(step_session *w, query_kind what, const char *line)
{
    if (w->pending_count == 0)
        w->asked_at = monotonic_s();
    w->pending[w->pending_count++] = (pending_command){what, xstrdup(line)};
}

void session_start(step_session *w, const char *const *argv, const char *const *env)
{
    *w = (step_session){
        .argv = argv, .env = env, .other_warp = -1, .shared_rows = 16, .ptx_rows = 20};
    w->e = coprocess_start("The replayer", argv, env);
    expect_answer(w, ASK_MOVE, "where"); /* the replayer starts with an answer */
}

void session_free(step_session *w)
{
    arena *const memories[] = {&w->where.memory,     &w->lanes.memory,   &w->registers.memory,
                               &w->variables.memory, &w->warps.memory,   &w->shared.memory,
                               &w->before.memory,    &w->source.memory,  &w->ptx.memory,
                               &w->request.memory,   &w->moments.memory, &w->reports.memory};
    coprocess_free(w->e);
    drop_pending_commands(w);
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        arena_free(memories[i]);
    for (size_t i = 0; i < QUERY_KINDS; i++)
        free(w->why[i]);
    free(w->error);
    free(w->text);
    *w = (step_session){0};
}

/* --- commands --- */

bool session_ask(step_session *w, query_kind what, const char *line)
{
    if (w->is_over || w->pending_count == SESSION_MAX_PENDING)
        return false;
    if (what <= ASK_TEXT)
        replace_string(&w->error, NULL);
    expect_answer(w, what, line);
    coprocess_send(w->e, line);
    return true;
}

bool session_command(step_session *w, const char *line)
{
    static const char *const moves[] = {"run", "back", "go", "who", "choose", "where", "open",
                                        "s",   "b",    "n",  "p",   "c",      "forget"};
    size_t len = strcspn(line, " ");
    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
        if (strlen(moves[i]) == len && strncmp(line, moves[i], len) == 0)
            return session_ask(w, ASK_MOVE, line);
    return session_ask(w, len == 6 && starts_with(line, "report") ? ASK_REPORT : ASK_TEXT, line);
}

static void send_query(step_session *w, query_kind query)
{
    char other[32] = "", line[128];
    if (w->other_warp >= 0)
        snprintf(other, sizeof other, " warp %d", w->other_warp);
    switch (query) {
    case ASK_LANES: snprintf(line, sizeof line, "lanes%s", other); break;
    case ASK_REGISTERS:
        snprintf(line, sizeof line, "registers%s%s", other, w->all_registers ? " all" : "");
        break;
    case ASK_VARIABLES: snprintf(line, sizeof line, "variables%s", other); break;
    case ASK_SHARED:
        snprintf(line, sizeof line, "shared %lld %d", w->shared_from, w->shared_rows);
        break;
    case ASK_SOURCE:
        snprintf(line, sizeof line, "source %d %d",
                 w->where.at.line > SOURCE_LINES_AROUND ? w->where.at.line - SOURCE_LINES_AROUND
                                                        : 1,
                 w->where.at.line + SOURCE_LINES_AROUND);
        break;
    case ASK_PTX: snprintf(line, sizeof line, "ptx %d", w->ptx_rows); break;
    default:
        snprintf(line, sizeof line, "%s",
                 query == ASK_WARPS     ? "warps"
                 : query == ASK_REQUEST ? "request"
                                        : "reports");
    }
    session_ask(w, query, line);
}

/* Store the new rows of shared memory, and keep the old ones to show what changed. */
static bool store_shared_memory(step_session *w, const json_t *o)
{
    arena_free(&w->before.memory);
    w->before = w->shared;
    w->shared = (step_shared_memory){0};
    return shared_memory_read(&w->shared, o);
}

/* Discard an answer that is out of date. */
static void clear_answer(step_session *w, query_kind query)
{
    json_auto_t *none = json_object();
    switch (query) {
    case ASK_LANES: lanes_read(&w->lanes, none); break;
    case ASK_REGISTERS: values_read(&w->registers, none); break;
    case ASK_VARIABLES: values_read(&w->variables, none); break;
    case ASK_WARPS: warps_read(&w->warps, none); break;
    case ASK_SHARED: store_shared_memory(w, none); break;
    case ASK_REQUEST: request_read(&w->request, none); break;
    case ASK_SOURCE: source_read(&w->source, none); break;
    case ASK_PTX: ptx_read(&w->ptx, none); break;
    default: break;
    }
}

void session_request_answers(step_session *w, unsigned wanted)
{
    unsigned asked = w->known;
    if (!w->has_where || session_is_waiting(w))
        return;
    if (w->where.is_ended)
        asked |= ~QUERY_BIT(ASK_REPORTS);
    if (!w->where.at.path &&
        !(w->known & QUERY_BIT(ASK_SOURCE))) { /* there is no source to ask for */
        replace_string(&w->why[ASK_SOURCE], NULL);
        clear_answer(w, ASK_SOURCE);
        w->known |= QUERY_BIT(ASK_SOURCE);
        asked |= QUERY_BIT(ASK_SOURCE);
    }
    for (query_kind query = ASK_LANES; query < QUERY_KINDS; query++)
        if (wanted & ~asked & QUERY_BIT(query))
            send_query(w, query);
}

void session_drop_answer(step_session *w, query_kind query)
{
    w->known &= ~QUERY_BIT(query);
}

/* --- answers --- */

/* Return true if the source lines in memory include the current line. */
static bool is_current_line_loaded(const step_session *w)
{
    return w->where.at.path && w->source.path && strcmp(w->where.at.path, w->source.path) == 0 &&
           session_source_line(w, w->where.at.line);
}

const step_line *session_source_line(const step_session *w, long long line)
{
    for (size_t i = 0; i < w->source.count; i++)
        if (w->source.rows[i].number == line)
            return &w->source.rows[i];
    return NULL;
}

static void record_warp_choice(step_session *w, const char *line, const step_position *at)
{
    int warp;
    bool forgets = strcmp(line, "forget") == 0;
    if (!forgets && sscanf(line, "choose warp %d", &warp) != 1)
        return;
    size_t kept = 0;
    while (kept < w->choice_count &&
           (w->choices[kept].launch < at->launch ||
            (w->choices[kept].launch == at->launch && w->choices[kept].insn < at->insn)))
        kept++;
    w->choice_count = kept;
    if (!forgets && kept < SESSION_MAX_CHOICES)
        w->choices[w->choice_count++] = (warp_choice){at->launch, at->insn, warp};
}

static bool store_move_result(step_session *w, const replayer_answer *a, const char *line)
{
    if (strcmp(a->name, "where") != 0) { /* a command that does not move, such as `forget` */
        record_warp_choice(w, line, &w->where);
        return true;
    }
    step_position old = w->where;
    w->where = (step_position){0};
    bool read = position_read(&w->where, a->object);
    if (read && w->has_where && !old.is_ended)
        record_warp_choice(w, line, &old);
    arena_free(&old.memory);
    w->has_where = read;
    w->known &= read && is_current_line_loaded(w) ? answers_kept_after_moves : 0;
    w->other_warp = -1;
    w->moved++;
    return read;
}

/* Store an answer as text for the screen. */
static void store_text(step_session *w, const replayer_answer *a)
{
    OWNED char *text = answer_text(a);
    const size_t len = strlen(text);
    if (len)
        text[len - 1] = '\0'; /* the last newline */
    replace_string(&w->text, clean_text(text, SCREEN_TEXT, true));
}

static bool store_answer(step_session *w, query_kind what, const replayer_answer *a,
                         const char *line)
{
    static const char *const names[QUERY_KINDS] = {
        [ASK_REPORT] = "report",       [ASK_LANES] = "lanes",   [ASK_REGISTERS] = "registers",
        [ASK_VARIABLES] = "variables", [ASK_WARPS] = "warps",   [ASK_SHARED] = "shared",
        [ASK_REQUEST] = "request",     [ASK_SOURCE] = "source", [ASK_PTX] = "ptx",
        [ASK_REPORTS] = "reports"};
    if (names[what] && strcmp(a->name, names[what]) != 0)
        return false;
    switch (what) {
    case ASK_MOVE: return store_move_result(w, a, line);
    case ASK_REPORT:
        w->is_new_report = report_moments_read(&w->moments, a->object);
        return w->is_new_report && session_ask(w, ASK_MOVE, "where");
    case ASK_TEXT: store_text(w, a); return true;
    case ASK_LANES: return lanes_read(&w->lanes, a->object);
    case ASK_REGISTERS: return values_read(&w->registers, a->object);
    case ASK_VARIABLES: return values_read(&w->variables, a->object);
    case ASK_WARPS: return warps_read(&w->warps, a->object);
    case ASK_SHARED: return store_shared_memory(w, a->object);
    case ASK_REQUEST: return request_read(&w->request, a->object);
    case ASK_SOURCE: return source_read(&w->source, a->object);
    case ASK_PTX: return ptx_read(&w->ptx, a->object);
    case ASK_REPORTS: return reports_read(&w->reports, a->object);
    case QUERY_KINDS: break;
    }
    return false;
}

/* Handle the answer to the oldest pending command. */
static void handle_answer(step_session *w, const replayer_answer *a)
{
    pending_command p = w->pending[0];
    memmove(w->pending, w->pending + 1, --w->pending_count * sizeof *w->pending);
    bool read = a->kind == ANSWER_OK && store_answer(w, p.what, a, p.line);
    char *why =
        read ? NULL
        : a->error
            ? xstrdup(a->error)
            : xprintf("The replayer's answer to \"%.60s\" is damaged: a field is missing.", p.line);
    if (p.what > ASK_TEXT) {
        w->known |= QUERY_BIT(p.what);
        if (!read)
            clear_answer(w, p.what);
        replace_string(&w->why[p.what], why);
    } else if (why) {
        replace_string(&w->error, why);
    }
    free(p.line);
}

static void handle_line(step_session *w, const char *line, size_t len, bool too_long)
{
    CLEANUP(answer_free)
    replayer_answer a = answer_parse(line, len, too_long);
    if (a.kind == ANSWER_NOISE || (a.kind != ANSWER_EVENT && w->pending_count == 0))
        w->noise++;
    else if (a.kind != ANSWER_EVENT)
        handle_answer(w, &a);
}

bool session_exchange(step_session *w)
{
    size_t len;
    bool too_long, changed = false;
    if (w->is_over)
        return false;
    coprocess_exchange(w->e);
    /* Limit the lines handled per call, so that a flood of lines does not block the keys. */
    for (int i = 0; i < 1000; i++) {
        const char *line = coprocess_next_line(w->e, &len, &too_long);
        if (!line)
            break;
        handle_line(w, line, len, too_long);
        changed = true;
    }
    if (coprocess_ended(w->e)) {
        OWNED char *said = coprocess_end_sentence(w->e),
                   *how = clean_text(said, ANSWER_TEXT, false);
        /* If the replayer ended right after its answer, that answer has the reason. */
        replace_string(&w->error,
                       !w->has_where && w->error ? xprintf("%s %s", w->error, how) : xstrdup(how));
        drop_pending_commands(w);
        w->is_over = changed = true;
    }
    return changed;
}

bool session_is_waiting(const step_session *w)
{
    return w->pending_count > 0;
}

double session_seconds_waited(const step_session *w)
{
    return w->pending_count ? monotonic_s() - w->asked_at : 0;
}

void session_cancel(step_session *w)
{
    char line[80];
    bool goes = w->has_where && !w->where.is_ended && !w->is_over;
    coprocess_free(w->e);
    drop_pending_commands(w);
    w->is_over = false;
    w->known = 0;
    w->e = coprocess_start("The replayer", w->argv, w->env);
    expect_answer(w, ASK_MOVE, "where");
    /* The position is known again only after the answer to `go`; if the user cancels again before,
     * the replayer stays at the first moment. */
    long long launch = w->where.launch, insn = w->where.insn;
    for (size_t i = 0; goes && i < w->choice_count && i + 4 < SESSION_MAX_PENDING / 2; i++) {
        snprintf(line, sizeof line, "go %lld %lld", w->choices[i].launch, w->choices[i].insn);
        session_ask(w, ASK_MOVE, line);
        snprintf(line, sizeof line, "choose warp %d", w->choices[i].warp);
        session_ask(w, ASK_MOVE, line);
    }
    if (goes) {
        snprintf(line, sizeof line, "go %lld %lld", launch, insn);
        session_ask(w, ASK_MOVE, line);
    }
    w->has_where = false;
    replace_string(&w->error, NULL);
}
