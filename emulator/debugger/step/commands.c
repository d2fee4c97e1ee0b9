#include "commands.h"

#include "../../base/parameter.h"
#include "../../base/spelling.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char step_help[] =
    "run|back [N] insn|line|barrier|iteration|warp|block|launch   move by N (s b n p: insn, line)\n"
    "run|back to [FILE:]LINE, thread T [of B], if PLACE RELATION NUMBER, if PLACE changes, fault, "
    "report\n"
    "run end (c), back start, go LAUNCH INSTRUCTION               move to a moment\n"
    "who PLACE        go to the instruction that wrote it last; PLACE: %r5 %r5[3] tile + 64 "
    "shared[64]:f32 global[ADDR]\n"
    "report N, reports                                            a mistake as two moments; all of "
    "them\n"
    "choose warp W, choices, forget                               which warp runs next\n"
    "where, lanes [warp W], registers [warp W] [all|NAME ...], variables [warp W], warps\n"
    "shared [FROM [ROWS]] [as TYPE], global PLACE [COUNT] [as TYPE], request\n"
    "source [FILE] [FROM [TO]], ptx [N], launches, snapshots, open, help, quit\n";

/* --- words --- */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* If TEXT begins with WORD, move *TEXT after it and return true. */
static bool parse_word(const char **text, const char *word)
{
    const char *from = skip_blanks(*text);
    const size_t n = strlen(word);
    if (strncmp(from, word, n) != 0 || (from[n] && !strchr(" \t\r\n", from[n])))
        return false;
    *text = skip_blanks(from + n);
    return true;
}

static bool parse_number(const char **text, uint64_t *number)
{
    const char *from = skip_blanks(*text);
    char *end;
    errno = 0;
    const unsigned long long n = strtoull(from, &end, 0);
    if (*from < '0' || *from > '9' || errno || (*end && !strchr(" \t\r\n", *end)))
        return false;
    *number = n;
    *text = skip_blanks(end);
    return true;
}

/* A word of a command line. */
typedef struct known_word {
    const char *word;
    int kind; /* what it means; -1: what follows it says that */
} known_word;

/* Refuse TEXT, which is not WHAT; a word of LIST, which ends with NULL, that its first word may be
 * is named. Returns false. */
static bool refuse_unknown(const char *text, const char *whole, const char *what,
                           const known_word *list, char *err, size_t size)
{
    char word[32];
    const char *meant = NULL;
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, " \t\r\n"), text);
    for (; list->word; list++)
        spelling_keep_nearer(&meant, word, list->word);
    if (meant && strcmp(meant, word) != 0)
        snprintf(err, size, "\"%.80s\" is not %s; did you mean %s? `help` lists the commands",
                 whole, what, meant);
    else
        snprintf(err, size, "\"%.80s\" is not %s: `help` lists the commands", whole, what);
    return false;
}

static bool is_at_end(const char *text)
{
    return *skip_blanks(text) == '\0';
}

/* --- places and conditions --- */

step_type step_type_read(const char *name, size_t length)
{
    for (step_type t = STEP_U8; t < STEP_TYPE_COUNT; t++)
        if (strlen(step_type_name[t]) == length && strncmp(step_type_name[t], name, length) == 0)
            return t;
    return STEP_ANY_TYPE;
}

/* Read "[NUMBER]" at TEXT; *END points after it. */
static bool read_index(const char *text, uint64_t *index, const char **end)
{
    char *stop;
    errno = 0;
    if (*text != '[' || text[1] < '0' || text[1] > '9')
        return false;
    *index = strtoull(text + 1, &stop, 0);
    *end = stop + 1;
    return !errno && *stop == ']';
}

/* Read the type that may follow a place at *END, and move *END after it. */
static bool read_type(step_place *place, const char **end)
{
    if (**end == ':') {
        const size_t n = strspn(*end + 1, "usf0123456789");
        place->type = step_type_read(*end + 1, n);
        *end += n + 1;
    }
    return place->type != STEP_ANY_TYPE;
}

/* Read a place in memory such as "shared[64]:f32", whose first NAME characters name the memory. */
static bool read_memory(const char *text, size_t name, int kind, step_place *place,
                        const char **end)
{
    *place = (step_place){.kind = kind, .type = STEP_U32, .lane = -1};
    return read_index(text + name, &place->address, end) && read_type(place, end);
}

/* Read a place in an array such as "out" or "out + 12:f32". */
static bool read_array(const char *text, step_place *place, const char **end)
{
    *place = (step_place){.kind = STEP_ARRAY, .type = STEP_U32, .lane = -1};
    const char *rest = text;
    while (is_name_char(*rest))
        rest++;
    *end = rest;
    rest = skip_blanks(rest);
    if (*rest == '+') {
        char *stop;
        rest = skip_blanks(rest + 1);
        errno = 0;
        place->address = strtoull(rest, &stop, 0);
        *end = stop;
        if (*rest < '0' || *rest > '9' || errno)
            return false;
    }
    const size_t n = (size_t)(*end - text);
    if (n >= sizeof place->name)
        return false;
    memcpy(place->name, text, n);
    return read_type(place, end);
}

/* Parse a place (register or memory) such as "%r5[3]", "tile + 64", "shared[64]:f32" or
 * "global[0x7000]"; *END points after it. */
static bool read_place(const char *text, step_place *place, const char **end)
{
    text = skip_blanks(text);
    if (strncmp(text, "shared[", 7) == 0)
        return read_memory(text, 6, STEP_SHARED, place, end);
    if (strncmp(text, "global[", 7) == 0)
        return read_memory(text, 6, STEP_GLOBAL, place, end);
    if (is_name_char(*text) && !(*text >= '0' && *text <= '9'))
        return read_array(text, place, end);
    const size_t n = strcspn(text, " \t\r\n[=!<>");
    *place = (step_place){.kind = STEP_REGISTER, .lane = -1};
    *end = text + n;
    if (*text != '%' || n < 2 || n >= sizeof place->name)
        return false;
    memcpy(place->name, text, n);
    if (text[n] == '[') {
        uint64_t lane;
        if (!read_index(text + n, &lane, end) || lane >= 32)
            return false;
        place->lane = (int32_t)lane;
    }
    return true;
}

/* Read a relation such as "<=" at *TEXT, and move *TEXT after it. */
static bool read_relation(const char **text, step_relation *relation)
{
    static const struct {
        const char *sign;
        step_relation relation;
    } signs[] = {{"==", STEP_EQ}, {"!=", STEP_NE}, {"<=", STEP_LE},
                 {">=", STEP_GE}, {"<", STEP_LT},  {">", STEP_GT}};
    const char *from = skip_blanks(*text);
    for (size_t k = 0; k < sizeof signs / sizeof *signs; k++) {
        const size_t n = strlen(signs[k].sign);
        if (strncmp(from, signs[k].sign, n) == 0) {
            *relation = signs[k].relation;
            *text = skip_blanks(from + n);
            return true;
        }
    }
    return false;
}

static bool read_condition(const char *text, step_goal *g, char *err, size_t size)
{
    const char *rest = text;
    if (!read_place(text, &g->place, &rest)) {
        snprintf(err, size,
                 "\"%.80s\": begin with a place such as %%r5, %%r5[3], tile + 64, shared[64] or "
                 "global[0x70000000000]:f32",
                 text);
        return false;
    }
    if (parse_word(&rest, "changes")) {
        g->relation = STEP_CHANGES;
        if (!is_at_end(rest))
            snprintf(err, size, "\"%.80s\": nothing follows \"changes\"", text);
        return is_at_end(rest);
    }
    char *end, *whole_end;
    if (!read_relation(&rest, &g->relation)) {
        snprintf(err, size,
                 "\"%.80s\": after the place give ==, !=, <, <=, >, >= and a number, or "
                 "\"changes\"",
                 text);
        return false;
    }
    g->number = strtod(rest, &end);
    errno = 0;
    g->whole = (int64_t)(*rest == '-' ? (uint64_t)strtoll(rest, &whole_end, 0)
                                      : strtoull(rest, &whole_end, 0));
    g->is_whole = whole_end == end && !errno;
    if (end == rest || !is_at_end(end)) {
        snprintf(err, size, "\"%.80s\": a condition must end with a number", text);
        return false;
    }
    return true;
}

/* --- goals --- */

/* Read a source line, LINE or FILE:LINE, at which the run is to stop. */
static bool read_line_goal(const char *text, step_goal *g)
{
    const char *colon = strrchr(text, ':');
    const char *number = colon ? colon + 1 : text;
    uint64_t line;
    if (!parse_number(&number, &line) || !is_at_end(number) || line == 0 || line > UINT32_MAX ||
        (colon && ((size_t)(colon - text) >= sizeof g->file || colon == text)))
        return false;
    g->kind = STEP_TO;
    g->line = (uint32_t)line;
    snprintf(g->file, sizeof g->file, "%.*s", colon ? (int)(colon - text) : 0, text);
    return true;
}

/* Read a thread, THREAD or THREAD of BLOCK, whose next instruction the run is to stop at. */
static bool read_thread_goal(const char *text, step_command *c)
{
    uint64_t thread, block = 0;
    if (!parse_number(&text, &thread) || thread >= 1024)
        return false;
    c->own_block = !parse_word(&text, "of");
    if (!c->own_block && !parse_number(&text, &block))
        return false;
    c->goal = (step_goal){.kind = STEP_THREAD, .thread = (uint32_t)thread, .of.block = block};
    return is_at_end(text);
}

static const known_word goal_words[] = {{"insn", STEP_INSN},
                                        {"line", STEP_LINE},
                                        {"barrier", STEP_BARRIER},
                                        {"iteration", STEP_ITERATION},
                                        {"warp", STEP_WARP},
                                        {"block", STEP_BLOCK},
                                        {"launch", STEP_LAUNCH},
                                        {"fault", STEP_FAULT},
                                        {"report", STEP_REPORT},
                                        {"end", -1},
                                        {"start", -1},
                                        {"thread", -1},
                                        {"if", -1},
                                        {"to", -1},
                                        {0}};

static bool read_goal(const char *text, bool forward, step_command *c, char *err, size_t size)
{
    uint64_t times = 1;
    const char *whole = text;
    c->kind = forward ? STEP_FORWARD : STEP_BACKWARD;
    bool to = parse_word(&text, "to");
    if (to && read_line_goal(text, &c->goal))
        return true;
    if (parse_word(&text, forward ? "end" : "start") && is_at_end(text)) {
        c->kind = forward ? STEP_TO_END : STEP_TO_START;
        return true;
    }
    if (parse_word(&text, "thread")) {
        if (read_thread_goal(text, c))
            return true;
        snprintf(err, size, "\"%.80s\": give a thread as \"thread T\" or \"thread T of B\"", text);
        return false;
    }
    if (parse_word(&text, "if")) {
        c->goal.kind = STEP_IF;
        return read_condition(text, &c->goal, err, size);
    }
    if (*text >= '0' && *text <= '9' &&
        (!parse_number(&text, &times) || times == 0 || times > STEP_MAX_TIMES)) {
        snprintf(err, size, "\"%.80s\": a number from 1 to %d", text, STEP_MAX_TIMES);
        return false;
    }
    c->times = (uint32_t)times;
    for (const known_word *unit = goal_words; unit->word; unit++) {
        if (unit->kind >= 0 && parse_word(&text, unit->word) && is_at_end(text)) {
            c->goal.kind = (step_goal_kind)unit->kind;
            return true;
        }
    }
    return refuse_unknown(text, to ? text : whole,
                          to ? "a place to go to, nor a line as LINE or FILE:LINE"
                             : "a place to go to",
                          goal_words, err, size);
}

/* --- commands --- */

/* Read the two numbers of the command `go`: a launch, and an instruction in it. */
static bool read_go_command(const char *text, step_command *c)
{
    c->kind = STEP_GO;
    return parse_number(&text, &c->number) && parse_number(&text, &c->insn) && is_at_end(text);
}

static const known_word command_words[] = {{"run", -1},
                                           {"back", -1},
                                           {"go", -1},
                                           {"who", -1},
                                           {"report", -1},
                                           {"choose", -1},
                                           {"where", STEP_ASK},
                                           {"lanes", STEP_ASK},
                                           {"registers", STEP_ASK},
                                           {"variables", STEP_ASK},
                                           {"warps", STEP_ASK},
                                           {"shared", STEP_ASK},
                                           {"global", STEP_ASK},
                                           {"request", STEP_ASK},
                                           {"source", STEP_ASK},
                                           {"ptx", STEP_ASK},
                                           {"reports", STEP_REPORTS},
                                           {"launches", STEP_LAUNCHES},
                                           {"snapshots", STEP_LIST_SNAPSHOTS},
                                           {"choices", STEP_CHOSEN},
                                           {"forget", STEP_FORGET},
                                           {"help", STEP_HELP},
                                           {"quit", STEP_LEAVE},
                                           {"q", STEP_LEAVE},
                                           {"c", STEP_TO_END},
                                           {"open", STEP_OPEN},
                                           {0}};

/* Read a command that has no arguments, or whose arguments the worker process reads. */
static bool read_plain_command(const char *text, step_command *c, char *err, size_t size)
{
    for (const known_word *w = command_words; w->word; w++) {
        const char *rest = text;
        if (w->kind >= 0 && parse_word(&rest, w->word) &&
            (w->kind == STEP_ASK || is_at_end(rest))) {
            c->kind = w->kind;
            return true;
        }
    }
    return refuse_unknown(text, text, "a command", command_words, err, size);
}

/* Store SENTENCE in ERR. Returns false. */
static bool refuse_with_sentence(char *err, size_t size, const char *sentence)
{
    snprintf(err, size, "%s", sentence);
    return false;
}

bool step_command_read(const char *line, step_command *c, char *err, size_t size)
{
    static const struct {
        const char *word, *means;
    } shorts[] = {{"s", "insn"}, {"n", "line"}, {"b", "insn"}, {"p", "line"}};
    const char *text = skip_blanks(line);
    *c = (step_command){.times = 1};
    if (!*text || *text == '#')
        return true;
    for (size_t k = 0; k < 4; k++) {
        if (parse_word(&text, shorts[k].word)) {
            char goal[40];
            snprintf(goal, sizeof goal, "%.20s%s%s", text, *text ? " " : "", shorts[k].means);
            return read_goal(goal, k < 2, c, err, size);
        }
    }
    if (parse_word(&text, "run"))
        return read_goal(text, true, c, err, size);
    if (parse_word(&text, "back"))
        return read_goal(text, false, c, err, size);
    if (parse_word(&text, "go")) {
        return read_go_command(text, c) ||
               refuse_with_sentence(err, size, "give a moment as \"go LAUNCH INSTRUCTION\"");
    }
    if (parse_word(&text, "who")) {
        const char *end = text;
        c->kind = STEP_WHO;
        c->goal.kind = STEP_WRITES;
        return (read_place(text, &c->goal.place, &end) && is_at_end(end)) ||
               refuse_with_sentence(
                   err, size,
                   "give a place as %r5, %r5[3], tile + 64, shared[64] or global[0x70000000000]");
    }
    if (parse_word(&text, "report")) {
        c->kind = STEP_SHOW;
        return (parse_number(&text, &c->number) && is_at_end(text) && c->number) ||
               refuse_with_sentence(err, size, "give the number of a report, from 1");
    }
    if (parse_word(&text, "choose")) {
        c->kind = STEP_CHOOSE;
        return (parse_word(&text, "warp") && parse_number(&text, &c->number) && is_at_end(text)) ||
               refuse_with_sentence(err, size, "give a warp as \"choose warp W\"");
    }
    return read_plain_command(text, c, err, size);
}
