/* The dialogue of the step debugger: reads commands, moves to moments, prints answers. */
#include "control.h"
#include "process.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* For each kind of goal, the reason that is printed when the run stops there. */
static const char *const stop_reason_of_goal[] = {[STEP_NOWHERE] = "moment",
                                                  [STEP_INSN] = "insn",
                                                  [STEP_LINE] = "line",
                                                  [STEP_BARRIER] = "barrier",
                                                  [STEP_ITERATION] = "iteration",
                                                  [STEP_WARP] = "warp",
                                                  [STEP_BLOCK] = "block",
                                                  [STEP_LAUNCH] = "launch",
                                                  [STEP_TO] = "to",
                                                  [STEP_THREAD] = "thread",
                                                  [STEP_IF] = "if",
                                                  [STEP_FAULT] = "fault",
                                                  [STEP_REPORT] = "report",
                                                  [STEP_WRITES] = "who",
                                                  [STEP_ACCESSES] = "access"};

static const char worker_ended[] = "the worker process ended unexpectedly: going back may work";

static void print_error(const char *sentence)
{
    step_write_error(stdout, sentence);
}

/* Print the current moment and REASON, unless the user has stopped the command before. */
static void answer_where(step_controller *c, const char *reason, const char *extra)
{
    if (!step_ask_question(c, "where", c->stopped ? "stopped" : reason, c->stopped ? "" : extra))
        print_error(worker_ended);
}

/* --- moving --- */

/* Return to TICK after a search that found nothing. */
static void return_to_moment(step_controller *c, uint64_t tick, bool ended)
{
    step_go_to_moment(c, ended ? UINT64_MAX : tick);
}

/* After a search that the user stopped: return to TICK, where it began, and print that moment. */
static void print_moment_of_stop(step_controller *c, uint64_t tick, bool ended)
{
    *step_interrupt_requested = false; /* the user may also stop the way back */
    return_to_moment(c, tick, ended);
    answer_where(c, "stopped", "");
}

/* G becomes the goal of command M, completed with the current warp and block. */
static void add_position_to_goal(const step_controller *c, const step_command *m, step_goal *g)
{
    const uint64_t block = g->of.block;
    *g = m->goal;
    g->of = c->at.at;
    if (g->kind == STEP_THREAD && !m->own_block)
        g->of.block = block;
}

/* Write SENTENCE to OUT as the field NAME, after a comma; "" if it does not fit. */
static void write_sentence(const char *name, const char *sentence, char *out, size_t size)
{
    const int n = snprintf(out, size, ",\"%s\":%s", name, step_quoted(sentence));
    if (n < 0 || (size_t)n >= size)
        *out = '\0';
}

/* The error message of the launch, if the launch stops at the current moment; else "". */
static const char *text_of_fault(const step_controller *c, char *out, size_t size)
{
    out[0] = '\0';
    for (uint32_t k = 0; k < c->mistake_count; k++)
        if (c->mistakes[k].fault && c->mistakes[k].tick == c->at.tick)
            write_sentence("fault", c->mistakes[k].text, out, size);
    return out;
}

/* Run forward until the goal of command M has been met as often as it asks; print that moment. */
static void go_forward(step_controller *c, const step_command *m)
{
    step_goal g = m->goal;
    step_result r;
    add_position_to_goal(c, m, &g);
    if (!step_run_to_goal(c, &g, m->times, &r)) {
        print_error(worker_ended);
        return;
    }
    char fault[STEP_EXTRA_BYTES];
    answer_where(c, r.hits < m->times ? "end" : stop_reason_of_goal[g.kind],
                 text_of_fault(c, fault, sizeof fault));
}

/* Go back to the moment that command M asks for, and print it. */
static void go_backward(step_controller *c, const step_command *m)
{
    step_goal g = m->goal;
    const uint64_t from = c->at.tick;
    uint64_t tick = 0;
    step_result r;
    bool found = true;
    add_position_to_goal(c, m, &g);
    if (g.kind == STEP_INSN) {
        tick = step_moment_before(c, from, m->times);
        found = from > step_first_moment(c);
    } else {
        const bool ended = c->at.ended;
        found = step_find_last_hit(c, &g, m->times, from, &tick, &r);
        if (c->stopped) {
            print_moment_of_stop(c, from, ended);
            return;
        }
    }
    if (!step_go_to_moment(c, found ? tick : step_first_moment(c))) {
        print_error(c->cannot_return ? "cannot go back: the program has several threads"
                                     : worker_ended);
        return;
    }
    char fault[STEP_EXTRA_BYTES];
    answer_where(c, found ? stop_reason_of_goal[g.kind] : "start",
                 text_of_fault(c, fault, sizeof fault));
}

/* Run to the end of the program, and print that the run has ended. */
static void go_to_end(step_controller *c)
{
    const step_goal none = {.kind = STEP_NOWHERE};
    step_result r;
    if (step_run_to_goal(c, &none, 1, &r))
        answer_where(c, "end", "");
    else
        print_error(worker_ended);
}

/* Find the tick of instruction INSN of launch NUMBER, running further if it is not known yet. */
static bool find_moment(step_controller *c, uint64_t number, uint64_t insn, uint64_t *tick)
{
    const step_goal launch = {.kind = STEP_LAUNCH};
    step_result r;
    for (;;) {
        for (uint32_t k = 0; k < c->launches; k++) {
            const step_launch_note *l = &c->launch[k];
            if (l->number == number && (l->insn_count == UINT64_MAX || insn < l->insn_count)) {
                *tick = l->base + insn;
                return true;
            }
            if (l->number == number)
                return false;
        }
        if (c->stopped || c->whole || !step_go_to_moment(c, c->reached) ||
            !step_run_to_goal(c, &launch, 1, &r))
            return false;
    }
}

/* Go to the instruction that the command `go` names, and print that moment. */
static void go_to_moment(step_controller *c, const step_command *m)
{
    const uint64_t from = c->at.tick;
    const bool ended = c->at.ended;
    uint64_t tick;
    const bool there = find_moment(c, m->number, m->insn, &tick) && step_go_to_moment(c, tick);
    if (c->stopped) {
        answer_where(c, "stopped", "");
        return;
    }
    if (!there) {
        return_to_moment(c, from, ended);
        print_error("the run has no such moment");
        return;
    }
    const step_launch_note *l = step_launch_of(c, c->at.tick);
    if (c->at.ended || !l || l->number != m->number) {
        return_to_moment(c, from, ended);
        print_error("the launch has fewer instructions than that");
        return;
    }
    answer_where(c, "moment", "");
}

/* Find where the array of place P is. False with a message in ERR: there is none. */
static bool resolve_array(step_controller *c, step_place *p, char *err, size_t size)
{
    char question[100], space[8];
    uint64_t at;
    if (p->kind != STEP_ARRAY)
        return true;
    snprintf(question, sizeof question, "place %s", p->name);
    char *text = step_ask_worker(c, question);
    const bool is = text && sscanf(text, "%7s %" SCNu64, space, &at) == 2;
    free(text);
    snprintf(err, size,
             "no array of the kernel that runs here has the name %.*s; a register begins with %%",
             (int)strcspn(p->name, " +"), p->name);
    if (is) {
        p->kind = *space == 's' ? STEP_SHARED : STEP_GLOBAL;
        p->address = at;
    }
    return is;
}

/* Write place P as the user writes it, such as "%r5[3]" or "shared[64]". */
static void text_of_place(const step_place *p, char *out, size_t size)
{
    if (p->kind == STEP_REGISTER && p->lane >= 0)
        snprintf(out, size, "%s[%d]", p->name, p->lane);
    else if (p->name[0])
        snprintf(out, size, "%s", p->name);
    else if (p->kind == STEP_SHARED)
        snprintf(out, size, "shared[%" PRIu64 "]", p->address);
    else
        snprintf(out, size, "global[0x%" PRIx64 "]", p->address);
}

/* Find what wrote the byte at ADDRESS while no kernel ran. *TICK: the moment after the write; BY:
 * the writer, or "" if the memory has been allocated since. Returns false if no write is known. */
static bool find_host_writer(step_controller *c, uint64_t address, uint64_t *tick, char *by,
                             size_t size)
{
    char question[64];
    snprintf(question, sizeof question, "written 0x%" PRIx64, address);
    char *text = step_ask_worker(c, question);
    char *rest = text;
    const bool is = text && *text;
    if (is) {
        *tick = strtoull(text, &rest, 10);
        snprintf(by, size, "%.*s", (int)strcspn(rest + 1, "\n"), rest + 1);
    }
    free(text);
    return is;
}

/* Write the field that answers `who`: PLACE was written in LANES (0: not by a warp). VALUE, what
 * was written, and BY, the writer, may be "". */
static void text_of_writer(const char *place, uint32_t lanes, const char *value, const char *by,
                           char *out, size_t size)
{
    snprintf(out, size, ",\"wrote\":{\"place\":%s,\"lanes\":\"%08x\"%s%s%s%s}", step_quoted(place),
             lanes, *value ? ",\"value\":" : "", *value ? step_quoted(value) : "",
             *by ? ",\"by\":" : "", *by ? step_quoted(by) : "");
}

/* Why the command `who` found no write of place P, as a sentence. */
static const char *unwritten_reason(const step_place *p)
{
    return p->kind == STEP_GLOBAL   ? "nothing in the run has written it before this moment"
           : p->kind == STEP_SHARED ? "nobody has written it in this block before this moment"
                                    : "the warp has not written it before this moment";
}

/* Go to the last write that goal G asks for before moment FROM, and write the line about it to
 * EXTRA, which calls the place PLACE. The last write of a kernel counts unless HOST, if not NULL,
 * is later. Returns false if nothing has written it. */
static bool go_to_last_write(step_controller *c, const step_goal *g, uint64_t from,
                             const step_wrong_value *host, const char *place, char *extra,
                             size_t size)
{
    step_result r = {0};
    uint64_t tick = 0;
    bool found = step_find_last_hit(c, g, 1, from, &tick, &r);
    const bool by_host = host && !c->stopped && (!found || host->host_tick > tick);
    if (by_host) {
        found = host->by[0];
        tick = host->host_tick > step_first_moment(c) ? host->host_tick : step_first_moment(c);
    }
    text_of_writer(place, by_host ? 0 : r.hit_lanes, by_host ? "" : r.wrote,
                   by_host ? host->by : r.by, extra, size);
    return found && !c->stopped && step_go_to_moment(c, tick);
}

/* Go to where the first wrong value was written. Returns false if that is not known. */
static bool go_to_wrong_value(step_controller *c)
{
    const step_wrong_value *w = &c->wrong;
    char place[80], extra[STEP_EXTRA_BYTES];
    const step_goal g = {.kind = STEP_WRITES,
                         .place = {.kind = STEP_GLOBAL, .address = w->address}};
    if (!w->text[0])
        return false;
    snprintf(place, sizeof place, "%.*s", (int)strcspn(w->text, " "), w->text);
    if (!go_to_last_write(c, &g, w->tick, w->is_written_by_host ? w : NULL, place, extra,
                          sizeof extra))
        return false;
    write_sentence("wrong", w->text, extra + strlen(extra), sizeof extra - strlen(extra));
    answer_where(c, "wrong", extra);
    return true;
}

/* Go to the first report; if the run has none, to the write of the first value that the program
 * found wrong; if there is none, to the first moment. */
static void go_to_first_mistake(step_controller *c)
{
    const step_goal any = {.kind = STEP_REPORT};
    step_result r;
    if (!step_go_to_moment(c, step_first_moment(c)) || !step_run_to_goal(c, &any, 1, &r)) {
        print_error(worker_ended);
        return;
    }
    if (!r.hits && !c->stopped && go_to_wrong_value(c))
        return;
    if (!r.hits && !step_go_to_moment(c, step_first_moment(c)))
        print_error(worker_ended);
    else
        answer_where(c, r.hits ? "report" : "start", "");
}

/* Execute the command `who`: go back to the last write of a place. */
static void go_to_writer(step_controller *c, const step_command *m)
{
    const uint64_t from = c->at.tick;
    const bool ended = c->at.ended;
    step_goal g = m->goal;
    step_wrong_value host = {0};
    char place[120], extra[STEP_EXTRA_BYTES];
    add_position_to_goal(c, m, &g);
    if (ended && g.place.kind != STEP_GLOBAL) {
        print_error("after the end there are neither registers nor shared memory: go back first");
        return;
    }
    const bool by_host =
        g.place.kind == STEP_GLOBAL &&
        find_host_writer(c, g.place.address, &host.host_tick, host.by, sizeof host.by);
    text_of_place(&g.place, place, sizeof place);
    const bool found =
        go_to_last_write(c, &g, from, by_host ? &host : NULL, place, extra, sizeof extra);
    if (c->stopped) {
        print_moment_of_stop(c, from, ended);
        return;
    }
    if (!found) {
        return_to_moment(c, from, ended);
        print_error(unwritten_reason(&g.place));
        return;
    }
    answer_where(c, "who", extra);
}

/* --- choices --- */

/* Execute the command `choose`: let WARP run next instead of the warp that would. */
static void choose_warp(step_controller *c, uint64_t warp)
{
    if (!c->at.ended && warp == c->at.at.warp) {
        answer_where(c, "choice",
                     ""); /* this warp would run next anyway, so no choice is recorded */
        return;
    }
    char question[64];
    snprintf(question, sizeof question, "can-run %" PRIu64, warp);
    char *text = step_ask_worker(c, question);
    const bool can = text && strcmp(text, "yes\n") == 0;
    if (!can) {
        char why[200];
        snprintf(why, sizeof why, "warp %" PRIu64 " cannot run now: %.*s", warp,
                 text ? (int)strcspn(text, "\n") : 0, text ? text : "");
        print_error(why);
    } else if (c->choices == STEP_MAX_CHOICES) {
        print_error("no more choices of warps can be remembered");
    } else {
        const uint64_t tick = c->at.tick;
        step_forget_run_after(c, tick);
        c->choice[c->choices++] = (step_choice){tick, (uint32_t)warp};
        step_order o = step_order_new(STEP_RUN);
        o.until = tick;
        if (step_send_order(c, &o))
            answer_where(c, "choice", "");
        else
            print_error(worker_ended);
    }
    free(text);
}

/* Undo the choices of warps that the user has made at this moment or later. */
static void forget_choices(step_controller *c)
{
    const uint64_t tick = c->at.tick;
    if (c->choices && c->choice[c->choices - 1].tick >= tick) {
        /* Forget everything after the choice: the worker and all later results depend on it. */
        while (c->choices && c->choice[c->choices - 1].tick >= tick)
            c->choices--;
        step_forget_run_after(c, tick ? tick - 1 : 0);
        const step_snapshot *s = step_snapshots_before(&c->kept, tick);
        c->at.tick = s ? UINT64_MAX : tick;
        step_go_to_moment(c, tick);
    }
    answer_where(c, "moment", "");
}

/* --- commands --- */

/* Execute the command `report NUMBER`. */
static void show_report(step_controller *c, uint64_t number)
{
    const uint64_t from = c->at.tick;
    const bool ended = c->at.ended;
    char err[600];
    if (!step_show_report(c, number, err, sizeof err)) {
        if (c->stopped) {
            *step_interrupt_requested = false;
            return_to_moment(c, from, ended);
        }
        print_error(c->stopped ? "stopped; the run is back at the moment before the command" : err);
    }
}

static void execute_command(step_controller *c, const step_command *m, const char *line)
{
    switch (m->kind) {
    case STEP_FORWARD: go_forward(c, m); break;
    case STEP_BACKWARD: go_backward(c, m); break;
    case STEP_TO_END: go_to_end(c); break;
    case STEP_OPEN: go_to_first_mistake(c); break;
    case STEP_TO_START:
        if (step_go_to_moment(c, step_first_moment(c)))
            answer_where(c, "start", "");
        else
            print_error(worker_ended);
        break;
    case STEP_GO: go_to_moment(c, m); break;
    case STEP_WHO: go_to_writer(c, m); break;
    case STEP_SHOW: show_report(c, m->number); break;
    case STEP_CHOOSE: choose_warp(c, m->number); break;
    case STEP_CHOSEN: step_list_choices(c); break;
    case STEP_FORGET: forget_choices(c); break;
    case STEP_REPORTS: step_list_reports(c); break;
    case STEP_LAUNCHES: step_list_launches(c); break;
    case STEP_LIST_SNAPSHOTS: step_list_snapshots(c); break;
    case STEP_HELP:
        printf("{\"ok\":true,\"answer\":\"help\",\"text\":%s}\n", step_quoted(step_help));
        break;
    case STEP_ASK:
        if (!step_ask_question(c, line, "asked", ""))
            print_error(worker_ended);
        break;
    default: break;
    }
    if (c->thinned)
        printf("{\"event\":\"thinned\",\"kept\":%u}\n", c->kept.count);
    c->thinned = false;
}

/* --- stopping --- */

static volatile sig_atomic_t is_executing; /* a command is being executed */

static void on_interrupt(int signal)
{
    (void)signal;
    if (is_executing)
        *step_interrupt_requested = true;
}

int step_run_session(int worker)
{
    static step_controller c;
    char *line = NULL, err[300];
    size_t cap = 0;
    struct sigaction stop = {.sa_handler = on_interrupt, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &stop, NULL);
    const bool open = step_open_controller(&c, worker);
    if (!open)
        step_process_restart_if_asked();
    if (!open || c.at.ended) {
        print_error("the program has launched no kernel");
        fflush(stdout);
        step_close_controller(&c);
        return 1;
    }
    answer_where(&c, "start", "");
    fflush(stdout);
    while (getline(&line, &cap, stdin) > 0) {
        step_command m;
        line[strcspn(line, "\r\n")] =
            '\0'; /* without the newline, since error messages quote the line */
        if (!step_command_read(line, &m, err, sizeof err)) {
            print_error(err);
        } else if (m.kind == STEP_LEAVE) {
            break;
        } else if (!resolve_array(&c, &m.goal.place, err, sizeof err)) {
            print_error(err);
        } else {
            *step_interrupt_requested = c.stopped = false;
            is_executing = 1;
            execute_command(&c, &m, line);
            is_executing = 0;
        }
        fflush(stdout);
    }
    free(line);
    step_close_controller(&c);
    return 0;
}
