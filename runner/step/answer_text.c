/* The answers of the replayer as text for people: how each looks, `forms` at the end says. */
#include "answer.h"

#include "../base/files.h"
#include "../base/json.h"
#include "../base/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- fields: what is missing or of another type is "" or 0 --- */

static const char *text_of(const json_t *o, const char *key)
{
    const char *s = member_text(o, key);
    return s ? s : "";
}

static long long number_of(const json_t *o, const char *key)
{
    return (long long)json_integer_value(json_object_get(o, key));
}

static uint32_t mask_of(const json_t *o, const char *key)
{
    return (uint32_t)strtoul(text_of(o, key), NULL, 16);
}

void append_lane_ranges(sb *out, uint32_t lanes, const char *comma)
{
    const char *before = "";
    for (int lane = 0, end; lane < STEP_LANE_COUNT; lane = end) {
        end = lane + 1;
        if (!(lanes >> lane & 1))
            continue;
        while (end < STEP_LANE_COUNT && lanes >> end & 1)
            end++;
        sb_printf(out, end - lane > 1 ? "%s%d-%d" : "%s%d", before, lane, end - 1);
        before = comma;
    }
}

/* --- parts of a line that are not a field as it is --- */

static void write_lanes(sb *out, const json_t *o)
{
    append_lane_ranges(out, mask_of(o, "lanes"), ", ");
}

static void write_active_lanes(sb *out, const json_t *o)
{
    append_lane_ranges(out, mask_of(o, "mask"), ", ");
}

/* Where an instruction is: "lab.cu:7", or "PTX line 12". */
static void write_place(sb *out, const json_t *o)
{
    if (member_text(o, "path"))
        sb_printf(out, "%s:%lld", file_name_of(text_of(o, "path")), number_of(o, "line"));
    else if (json_object_get(o, "ptx_line"))
        sb_printf(out, "PTX line %lld", number_of(o, "ptx_line"));
}

static void write_source_line(sb *out, const json_t *o)
{
    sb_puts(out, text_of(o, "source") + strspn(text_of(o, "source"), " \t"));
}

static void write_block(sb *out, const json_t *o)
{
    sb_puts(out, "block (");
    for (size_t i = 0; i < 3; i++)
        sb_printf(out, i ? ",%lld" : "%lld",
                  (long long)json_integer_value(json_array_get(json_object_get(o, "block"), i)));
    sb_puts(out, ")");
}

/* The values of a register or variable by lane: one if all are the same. */
static void write_lane_values(sb *out, const json_t *o)
{
    const json_t *values = json_object_get(o, "values");
    const char *one = NULL;
    bool same = true;
    size_t count = 0; /* lanes up to the last one that exists */
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *value = json_string_value(json_array_get(values, i));
        if (!value)
            continue;
        one = one ? one : value;
        same = same && strcmp(value, one) == 0;
        count = i + 1;
    }
    for (size_t i = 0; i < count && !same; i++) {
        const char *value = json_string_value(json_array_get(values, i));
        sb_printf(out, "%s%s", i ? "," : "", value ? value : "_");
    }
    sb_puts(out, same && one ? one : "");
}

static void write_words(sb *out, const json_t *o)
{
    const json_t *values = json_object_get(o, "values");
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *value = json_string_value(json_array_get(values, i));
        sb_printf(out, " %s", value ? value : "?");
    }
}

static void write_last_byte(sb *out, const json_t *o)
{
    sb_printf(out, "%llu",
              (unsigned long long)number_of(o, "offset") +
                  (unsigned long long)number_of(o, "bytes") - 1);
}

static void write_mark(sb *out, const json_t *o)
{
    sb_puts(out, json_is_true(json_object_get(o, "current")) ? ">" : " ");
}

static void write_title(sb *out, const json_t *o)
{
    sb_printf(out, "%.*s", (int)strcspn(text_of(o, "text"), "\n"), text_of(o, "text"));
}

static void write_passes(sb *out, const json_t *o)
{
    if (json_object_get(o, "passes"))
        sb_printf(out, "%lld pass%s", number_of(o, "passes"),
                  number_of(o, "passes") == 1 ? "" : "es");
    else if (json_object_get(o, "sectors"))
        sb_printf(out, "%lld sector%s", number_of(o, "sectors"),
                  number_of(o, "sectors") == 1 ? "" : "s");
}

static const struct {
    const char *name;
    void (*write)(sb *out, const json_t *o);
} parts[] = {
    {"@lanes", write_lanes}, {"@active", write_active_lanes}, {"@place", write_place},
    {"@block", write_block}, {"@source", write_source_line},  {"@values", write_lane_values},
    {"@words", write_words}, {"@last", write_last_byte},      {"@title", write_title},
    {"@cost", write_passes}, {"@mark", write_mark},
};

/* --- templates --- */

/* Add the field or part NAME, of LENGTH characters. A field "bytes/MiB" is a number of bytes. */
static void write_field(sb *out, const json_t *o, const char *name, size_t length)
{
    char key[32];
    snprintf(key, sizeof key, "%.*s", (int)length, name);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].name, key) == 0)
            parts[i].write(out, o);
    const size_t plain = strcspn(key, "/");
    const int shift = key[plain] ? 20 : 0;
    key[plain] = '\0';
    if (json_is_integer(json_object_get(o, key)))
        sb_printf(out, "%lld", number_of(o, key) >> shift);
    else
        sb_puts(out, text_of(o, key));
}

/* Add TEMPLATE with the fields of O in place of {NAME}, or of {WIDTH NAME} as printf pads them. Of
 * [FIRST|SECOND], SECOND is taken if a field of FIRST is missing or empty, and nothing if there is
 * no SECOND. */
static void write_template(sb *out, const json_t *o, const char *template)
{
    size_t group = 0;
    bool lacks = false;
    for (const char *t = template; *t; t++) {
        if (*t == '[') {
            group = out->len;
            lacks = false;
        } else if (*t == ']' || *t == '|') {
            out->len = lacks ? group : out->len;
            sb_add(out, "", 0); /* ends the text there */
            if (*t == '|' && !lacks)
                t += strcspn(t, "]");
            lacks = false;
        } else if (*t == '{') {
            char *name;
            CLEANUP(sb_free) sb field = {0};
            const int width = (int)strtol(t + 1, &name, 10);
            name += *name == ' ';
            write_field(&field, o, name, strcspn(name, "}"));
            sb_printf(out, "%*s", width, field.len ? field.s : "");
            lacks = lacks || !field.len;
            t = name + strcspn(name, "}");
        } else {
            sb_add(out, t, 1);
        }
    }
}

/* --- answers that are more than lists --- */

#define REST_OF_MOMENT                                                     \
    ", instruction {count}\n{@block}, warp {warp}, lanes [{@active}|none " \
    "(guarded)]\n{@place}: {@source}\n    {ptx}\n"

static void write_where(sb *out, const json_t *o)
{
    const json_t *wrote = json_object_get(o, "wrote");
    const char *reason = text_of(o, "reason");
    write_template(out, o,
                   strcmp(text_of(o, "state"), "ended") == 0
                       ? "the run has ended\n"
                       : "launch {launch} ({kernel})" REST_OF_MOMENT);
    write_template(out, o, "[{fault}\n]");
    if (wrote)
        write_template(out, wrote,
                       mask_of(wrote, "lanes")
                           ? "writes {place}[ = {value}] in lanes {lanes}[, by {by}]\n"
                           : "{place} was written before this moment by {by}\n");
    write_template(out, o, "[{wrong}\n]");
    sb_puts(out, strcmp(reason, "start") == 0     ? "(the first moment)\n"
                 : strcmp(reason, "stopped") == 0 ? "(stopped here)\n"
                                                  : "");
}

/* The address that LANE accesses in request O. */
static unsigned long long address_of_lane(const json_t *o, int lane)
{
    const char *s =
        json_string_value(json_array_get(json_object_get(o, "addresses"), (size_t)lane));
    return s ? strtoull(s, NULL, 16) : 0;
}

/* Write what the lanes HERE access in array IN of request O: its elements, if they are whole
 * elements as wide as the access, else its bytes. */
static void write_lanes_of_array(sb *out, const json_t *o, uint32_t here, const json_t *in)
{
    const unsigned long long begins = strtoull(text_of(in, "begins"), NULL, 16);
    const long long bytes = number_of(o, "bytes");
    bool whole = bytes > 0;
    for (uint32_t m = here; m && whole; m &= m - 1)
        whole = (address_of_lane(o, __builtin_ctz(m)) - begins) % (unsigned long long)bytes == 0;
    sb_printf(out, "  %s, ", text_of(in, "memory"));
    if (whole)
        sb_printf(out, "elements of %lld bytes by lanes:", bytes);
    else
        sb_puts(out, "bytes by lanes:");
    for (uint32_t m = here; m; m &= m - 1) {
        const int lane = __builtin_ctz(m);
        sb_printf(out, " %d:%llu", lane,
                  (address_of_lane(o, lane) - begins) / (whole ? (unsigned long long)bytes : 1));
    }
    sb_puts(out, "\n");
}

/* The array of request O that LANE accesses, which names its lanes; NULL: none is known. */
static const json_t *array_of_lane(const json_t *o, int lane)
{
    const json_t *arrays = json_object_get(o, "arrays");
    if (member_text(o, "memory"))
        return o;
    for (size_t i = 0; i < json_array_size(arrays); i++)
        if (mask_of(json_array_get(arrays, i), "lanes") >> lane & 1)
            return json_array_get(arrays, i);
    return NULL;
}

/* Write what each lane of request O accesses, a line for each array. */
static void write_accesses(sb *out, const json_t *o)
{
    for (uint32_t rest = mask_of(o, "lanes"), here; rest; rest &= ~here) {
        const int lane = __builtin_ctz(rest);
        const json_t *in = array_of_lane(o, lane);
        here = in ? mask_of(in, "lanes") & rest : rest & -rest;
        if (in)
            write_lanes_of_array(out, o, here, in);
        else
            sb_printf(out, "  %d:0x%llx\n", lane, address_of_lane(o, lane));
    }
}

static void write_request(sb *out, const json_t *o)
{
    write_template(
        out, o,
        "{@place}: {ptx}\n{effect} of [{memory} in ]{space} memory, {bytes} bytes in each of "
        "lanes {@lanes}[: {@cost}, at best {ideal}]\n");
    write_accesses(out, o);
}

/* One of the two moments of a report. A moment without a count is known from the report only. */
static char *side_text(const json_t *o)
{
    sb out = {0};
    write_template(&out, o,
                   json_object_get(o, "count") ? "{who} {did}\nlaunch {launch}" REST_OF_MOMENT
                                               : "{who} {did}\n[{path}:{line}\n]");
    return sb_take(&out);
}

enum {
    COLUMN_CHARACTERS = 38, /* width of each of the two texts */
    GAP_CHARACTERS = 3      /* width of the gap between them */
};

/* Number of characters of TEXT, at most COLUMN_CHARACTERS, up to the end of its line; a longer line
 * is broken at a blank if possible. */
static size_t length_of_line(const char *text)
{
    const size_t n = strcspn(text, "\n");
    if (n <= COLUMN_CHARACTERS)
        return n;
    for (size_t k = COLUMN_CHARACTERS; k > COLUMN_CHARACTERS / 2; k--)
        if (text[k] == ' ')
            return k;
    return COLUMN_CHARACTERS;
}

static void write_side_by_side(sb *out, const char *left, const char *right)
{
    while (*left || *right) {
        const size_t a = length_of_line(left), b = length_of_line(right);
        sb_printf(out, "  %-*.*s%*s%.*s\n", COLUMN_CHARACTERS, (int)a, left, b ? GAP_CHARACTERS : 0,
                  b ? " | " : "", (int)b, right);
        left += a;
        left += *left == '\n' || *left == ' ';
        right += b;
        right += *right == '\n' || *right == ' ';
    }
}

static void write_report(sb *out, const json_t *o)
{
    const json_t *sides = json_object_get(o, "sides");
    const bool two = json_array_size(sides) > 1;
    OWNED char *later = side_text(json_array_get(sides, 0)),
               *earlier = side_text(json_array_get(sides, 1));
    /* only the first line if both sides show the rest of the text */
    write_template(out, o, two ? "report {number}: {@title}\n\n" : "report {number}: {text}\n\n");
    if (two)
        write_side_by_side(out, earlier, later);
    else
        sb_puts(out, later);
    if (*text_of(o, "missing"))
        write_template(out, o, "\nMissing between the two[, for {place}]: {missing}\n");
    if (two)
        write_template(out, o, "[\n{fix}\n]");
}

/* --- all answers --- */

/* An answer is written by a function, or as a head and the rows of lists; NONE: if these are empty.
 */
static const struct {
    const char *answer;
    void (*write)(sb *out, const json_t *o);
    const char *head;
    struct {
        const char *key, *row;
    } lists[2];
    const char *none;
} forms[] = {
    {.answer = "where", .write = write_where},
    {.answer = "request", .write = write_request},
    {.answer = "report", .write = write_report},
    {.answer = "lanes",
     .head = "warp {warp}\n",
     .lists = {{"groups", "  {-8 state} {-16 @lanes} {-14 @place} {ptx}\n"}}},
    {.answer = "registers", .lists = {{"registers", "  {name}={@values}\n"}}},
    {.answer = "variables", .lists = {{"variables", "  {type} {name}={@values}\n"}}},
    {.answer = "warps",
     .head = "{@block}\n",
     .lists = {{"warps", "  warp {-3 warp} {-8 state} {-16 @place} lanes [{@lanes}|none]\n"}}},
    {.answer = "shared",
     .head = "{bytes} bytes of shared memory, as {type}; a row is 32 banks\n",
     .lists = {{"rows", "{6 offset}:{@words}\n"},
               {"variables", "  {name}: bytes {offset} to {@last}\n"}}},
    {.answer = "global", .head = "[{place}|{address}]:{@words}\n"},
    {.answer = "source", .head = "{path}\n", .lists = {{"lines", "{@mark}{5 line} {text}\n"}}},
    {.answer = "ptx",
     .head = "{function}\n",
     .lists = {{"insns", "{@mark}{5 pc}  {-14 @place} {text}\n"}}},
    {.answer = "reports",
     .lists = {{"reports", "{number}: launch {launch}, instruction {count}: {@title}\n"}},
     .none = "none so far\n"},
    {.answer = "choices",
     .lists = {{"choices", "at launch {launch}, instruction {count}: warp {warp}\n"}},
     .none = "none\n"},
    {.answer = "launches",
     .lists = {{"launches", "launch {launch}: {kernel}, [{instructions} instructions|has not ended "
                            "yet]\n"}}},
    {.answer = "snapshots",
     .head =
         "{count} snapshots of at most {most}, {bytes/MiB} MiB of at most {limit/MiB}, {thinned} "
         "dropped to stay below that\n"},
    {.answer = "help", .head = "{text}"},
};

/* Write the head and the lists of row N of `forms`. */
static void write_form(sb *out, size_t n, const json_t *o)
{
    size_t rows = 0;
    write_template(out, o, forms[n].head ? forms[n].head : "");
    for (size_t k = 0; k < 2 && forms[n].lists[k].key; k++) {
        const json_t *list = json_object_get(o, forms[n].lists[k].key);
        rows += json_array_size(list);
        for (size_t i = 0; i < json_array_size(list); i++)
            write_template(out, json_array_get(list, i), forms[n].lists[k].row);
    }
    if (!rows && forms[n].none)
        sb_puts(out, forms[n].none);
}

char *answer_text(const replayer_answer *a)
{
    CLEANUP(sb_free) sb text = {0};
    sb clean = {0};
    size_t n = 0;
    while (n < sizeof forms / sizeof *forms && strcmp(a->name, forms[n].answer) != 0)
        n++;
    if (a->error)
        sb_printf(&text, "error: %s\n", a->error);
    else if (a->kind == ANSWER_OK && n == sizeof forms / sizeof *forms)
        sb_printf(&text, "error: the answer \"%s\" is of no known kind\n", a->name);
    else if (a->kind == ANSWER_OK && forms[n].write)
        forms[n].write(&text, a->object);
    else if (a->kind == ANSWER_OK)
        write_form(&text, n, a->object);
    append_sanitized(&clean, text.len ? text.s : "", true);
    return sb_take(&clean);
}
