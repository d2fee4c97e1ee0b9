/* The handlers of the keys of `warpbook step`. */
#include "stepper.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>

static void clear_message(stepper *s)
{
    free(s->message.text);
    s->message.text = NULL;
    free(s->w.error);
    s->w.error = NULL;
}

void stepper_open_box(stepper *s, const char *title)
{
    page_free(&s->box);
    s->boxed = true;
    s->box_title = title;
    s->box_top = 0;
}

/* --- panes --- */

static bool is_pane_shown(const stepper *s, pane what)
{
    pane_place places[PANE_COUNT];
    size_t count = layout_make(s, places);
    for (size_t i = 0; i < count; i++)
        if (places[i].pane == what)
            return true;
    return false;
}

static void key_show_pane(stepper *s, int what)
{
    s->focus = (pane)what;
    if (!s->zoom && !is_pane_shown(s, s->focus))
        s->slot = s->focus;
    if (!s->zoom &&
        !is_pane_shown(s, s->focus)) /* the focused pane is hidden: another pane is in its slot */
        s->slot = PANE_VALUES;
}

static void key_next_pane(stepper *s, int by)
{
    key_show_pane(s, ((int)s->focus + by + PANE_COUNT) % PANE_COUNT);
}

static void key_zoom(stepper *s)
{
    s->zoom = !s->zoom;
    key_show_pane(s, (int)s->focus);
}

static void move_selected_row(size_t *row, int by)
{
    *row = by < 0 && *row < (size_t)-by ? 0 : *row + (size_t)by;
}

static void move_shared_words(stepper *s, long long by)
{
    long long to = s->word + by, most = s->w.shared.bytes;
    if (to >= 0 && to < most)
        s->word = to;
}

static void key_move_up(stepper *s, int by)
{
    switch (s->focus) {
    case PANE_CODE:
        s->line_off += by;
        if (!session_source_line(&s->w, s->w.where.at.line + s->line_off))
            s->line_off -= by;
        break;
    case PANE_VALUES: move_selected_row(&s->value_row, by); break;
    case PANE_WARPS: move_selected_row(&s->warp_row, by); break;
    case PANE_SHARED: move_shared_words(s, 128LL * by); break;
    case PANE_REQUEST: move_selected_row(&s->request_top, by); break;
    case PANE_REPORTS: move_selected_row(&s->report_row, by); break;
    case PANE_LANES:
    case PANE_COUNT: break;
    }
}

static void key_move_sideways(stepper *s, int by)
{
    if (s->focus == PANE_SHARED)
        move_shared_words(s, 4LL * by);
    else
        s->lane = (s->lane + by + STEP_LANE_COUNT) % STEP_LANE_COUNT;
}

static void key_toggle_all_registers(stepper *s)
{
    s->w.all_registers = !s->w.all_registers;
    s->value_row = 0;
    session_drop_answer(&s->w, ASK_REGISTERS);
    key_show_pane(s, PANE_VALUES);
}

static void key_toggle_shared_values(stepper *s)
{
    s->shared_values = !s->shared_values;
    key_show_pane(s, PANE_SHARED);
}

static void show_chosen_warp(stepper *s)
{
    if (s->warp_row >= s->w.warps.count)
        return;
    int warp = s->w.warps.rows[s->warp_row].warp;
    s->w.other_warp = warp == s->w.where.warp ? -1 : warp;
    session_drop_answer(&s->w, ASK_LANES);
    session_drop_answer(&s->w, ASK_REGISTERS);
    session_drop_answer(&s->w, ASK_VARIABLES);
    message_set(&s->message, STYLE_NOTE, "Lanes and values of warp %d; W %d lets it run next.",
                warp, warp);
}

static void key_go_to_selected(stepper *s)
{
    char line[64];
    if (s->focus == PANE_CODE && s->line_off) {
        snprintf(line, sizeof line, "run to %lld", s->w.where.at.line + (long long)s->line_off);
        session_command(&s->w, line);
    } else if (s->focus == PANE_WARPS) {
        show_chosen_warp(s);
    } else if (s->focus == PANE_REPORTS && s->report_row < s->w.reports.count) {
        snprintf(line, sizeof line, "report %d", s->w.reports.rows[s->report_row].number);
        session_command(&s->w, line);
    }
}

/* --- the other keys --- */

static void key_help(stepper *s)
{
    stepper_open_box(s, "Keys");
    for (size_t i = 0, next; i < step_key_count; i = next) {
        CLEANUP(sb_free) sb names = {0};
        sb_puts(&names, step_keys[i].name);
        for (next = i + 1; next < step_key_count && step_keys[next].help && !*step_keys[next].help;
             next++)
            sb_printf(&names, " %s", step_keys[next].name);
        if (step_keys[i].help) {
            styled t = {0};
            styled_printf(&t, STYLE_NOTE, "%7s", names.s);
            styled_printf(&t, STYLE_NORMAL, "  %s", step_keys[i].help);
            page_add_line(&s->box, &t);
        }
    }
    page_add_blank_line(&s->box);
    for (int i = 0; i < LANE_UNKNOWN; i++) {
        styled t = {0};
        style how;
        char sign = lane_sign((lane_state)i, &how);
        styled_printf(&t, how, "%7c", sign);
        styled_printf(&t, STYLE_NORMAL, "  a lane that %s", lane_meaning((lane_state)i));
        page_add_line(&s->box, &t);
    }
}

static void key_quit(stepper *s)
{
    s->quit = true;
}

static void key_redraw(stepper *s)
{
    (void)s;
    clearok(curscr, TRUE);
}

#define HELP_ABOVE "" /* the row above has the key's help too */
#define MOVE_KEY(name, code, command, bar, help) \
    {name, {code, 0}, command, NULL, NULL, NULL, 0, bar, help},
#define QUESTION_KEY(name, code, command, question, bar, help) \
    {name, {code, 0}, command, question, NULL, NULL, 0, bar, help},
#define KEY(name, code, other, handler, argument, bar, help) \
    {name, {code, other}, NULL, NULL, NULL, handler, argument, bar, help},
#define CALL(name, code, other, handler, bar, help) \
    {name, {code, other}, NULL, NULL, handler, NULL, 0, bar, help},
const step_key step_keys[] = {
#include "keys.def"
};
const size_t step_key_count = sizeof step_keys / sizeof *step_keys;

/* --- questions --- */

/* The number of the report at the current moment, else of the first report; 0: no reports. */
static int report_number_to_suggest(const stepper *s)
{
    const step_reports *r = &s->w.reports;
    for (size_t i = 0; i < r->count; i++)
        if (r->rows[i].launch == s->w.where.launch && r->rows[i].insn == s->w.where.insn)
            return r->rows[i].number;
    return r->count ? r->rows[0].number : 0;
}

/* Fill the input line with the item selected in the pane, as a suggested answer. */
static void suggest_answer(stepper *s, const step_key *k)
{
    char *text = NULL;
    const step_value *v = chosen_value(s);
    bool place = strcmp(k->command, "who") == 0 || ends_with(k->command, " if");
    if (place && s->focus == PANE_VALUES && v && *v->name == '%')
        text = xprintf("%s[%d]", v->name, s->lane);
    else if (place && s->focus == PANE_SHARED && s->w.shared.count)
        text = xprintf("shared[%lld]", s->word);
    else if (ends_with(k->command, " to") && s->w.where.at.line)
        text = xprintf("%lld", s->w.where.at.line + (long long)s->line_off);
    else if (strcmp(k->command, "choose warp") == 0 && s->focus == PANE_WARPS &&
             s->warp_row < s->w.warps.count)
        text = xprintf("%d", s->w.warps.rows[s->warp_row].warp);
    else if (strcmp(k->command, "report") == 0 && report_number_to_suggest(s))
        text = xprintf("%d", report_number_to_suggest(s));
    snprintf(s->input, sizeof s->input, "%s%s", text ? text : "",
             text && ends_with(k->command, " if") ? " " : "");
    s->input_len = strlen(s->input);
    free(text);
}

static void answer_question(stepper *s)
{
    char *words = strip(s->input);
    OWNED char *line =
        *s->asking->command ? xprintf("%s %s", s->asking->command, words) : xstrdup(words);
    if (*words)
        session_command(&s->w, line);
    s->asking = NULL;
}

static void handle_question_key(stepper *s, int key)
{
    if (key == 27)
        s->asking = NULL;
    else if (key == '\r' || key == KEY_ENTER)
        answer_question(s);
    else if (key == KEY_BACKSPACE || key == 127 || key == 8)
        s->input_len -= s->input_len > 0;
    else if (key == 21) /* ^U */
        s->input_len = 0;
    else if (key >= ' ' && key < 127 && s->input_len + 1 < sizeof s->input)
        s->input[s->input_len++] = (char)key;
    s->input[s->input_len] = '\0';
}

static void box_handle_key(stepper *s, int key)
{
    if (key == KEY_UP || key == KEY_PPAGE) {
        move_selected_row(&s->box_top, key == KEY_UP ? -1 : -8);
    } else if (key == KEY_DOWN || key == KEY_NPAGE) {
        move_selected_row(&s->box_top, key == KEY_DOWN ? 1 : 8); /* drawing limits the value */
    } else {
        page_free(&s->box);
        s->boxed = false;
    }
}

static void perform_key_action(stepper *s, const step_key *k)
{
    clear_message(s);
    if (k->call) {
        k->call(s);
    } else if (k->handler) {
        k->handler(s, k->argument);
    } else if (s->w.is_over) {
        message_set(&s->message, STYLE_BAD, "The replayer has ended; q leaves.");
    } else if (k->question) {
        s->asking = k;
        suggest_answer(s, k);
    } else {
        session_command(&s->w, k->command);
    }
}

void stepper_handle_key(stepper *s, int key)
{
    if (s->columns < STEPPER_MIN_COLUMNS || s->rows < STEPPER_MIN_ROWS) {
        s->quit |= key == 'q';
        return;
    }
    if (s->boxed) {
        box_handle_key(s, key);
        return;
    }
    if (s->asking) {
        handle_question_key(s, key);
        return;
    }
    for (size_t i = 0; key && i < step_key_count; i++)
        if (step_keys[i].codes[0] == key || step_keys[i].codes[1] == key) {
            perform_key_action(s, &step_keys[i]);
            return;
        }
}
