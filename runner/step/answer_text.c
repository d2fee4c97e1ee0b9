/* The answers of the replayer as text for people. A row of `writers` writes one kind of answer. */
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

/* The lanes of the mask KEY of O as text, to be freed; NONE if there are none. */
static char *lanes_of(const json_t *o, const char *key, const char *none)
{
    sb out = {0};
    append_lane_ranges(&out, mask_of(o, key), ", ");
    if (!out.len)
        sb_puts(&out, none);
    return sb_take(&out);
}

/* Where the instruction of O is, to be freed: "lab.cu:7", "PTX line 12", or "". */
static char *place_of(const json_t *o)
{
    const char *path = member_text(o, "path");
    return path ? xprintf("%s:%lld", file_name_of(path), number_of(o, "line"))
           : json_object_get(o, "ptx_line") ? xprintf("PTX line %lld", number_of(o, "ptx_line"))
                                            : xstrdup("");
}

/* Add a line for each entry of the list KEY of O. Returns the number of entries. */
static size_t write_list(sb *out, const json_t *o, const char *key,
                         void (*write)(sb *out, const json_t *row))
{
    const json_t *list = json_object_get(o, key);
    for (size_t i = 0; i < json_array_size(list); i++)
        write(out, json_array_get(list, i));
    return json_array_size(list);
}

/* --- where --- */

static void write_block(sb *out, const json_t *o)
{
    const json_t *block = json_object_get(o, "block");
    sb_puts(out, "block (");
    for (size_t i = 0; i < 3; i++)
        sb_printf(out, i ? ",%lld" : "%lld",
                  (long long)json_integer_value(json_array_get(block, i)));
    sb_puts(out, ")");
}

/* Write the moment O. IS_SHORT: without the kernel's name, for two moments side by side. */
static void write_moment(sb *out, const json_t *o, bool is_short)
{
    OWNED char *lanes = lanes_of(o, "mask", "none (guarded)"), *place = place_of(o);
    const char *source = text_of(o, "source");
    sb_printf(out, "launch %lld", number_of(o, "launch"));
    if (!is_short)
        sb_printf(out, " (%s)", text_of(o, "kernel"));
    sb_printf(out, ", instruction %lld\n", number_of(o, "count"));
    write_block(out, o);
    sb_printf(out, ", warp %lld, lanes %s\n", number_of(o, "warp"), lanes);
    sb_printf(out, "%s: %s\n    %s\n", place, source + strspn(source, " \t"), text_of(o, "ptx"));
}

static void write_writer(sb *out, const json_t *wrote)
{
    const char *value = text_of(wrote, "value"), *by = text_of(wrote, "by");
    if (mask_of(wrote, "lanes"))
        sb_printf(out, "writes %s%s%s in lanes %s%s%s\n", text_of(wrote, "place"),
                  *value ? " = " : "", value, text_of(wrote, "lanes"), *by ? ", by " : "", by);
    else
        sb_printf(out, "%s was written before this moment by %s\n", text_of(wrote, "place"), by);
}

static void write_where(sb *out, const json_t *o)
{
    const json_t *wrote = json_object_get(o, "wrote");
    const char *fault = member_text(o, "fault"), *wrong = member_text(o, "wrong"),
               *reason = text_of(o, "reason");
    if (strcmp(text_of(o, "state"), "ended") == 0)
        sb_puts(out, "the run has ended\n");
    else
        write_moment(out, o, false);
    if (fault)
        sb_printf(out, "%s\n", fault);
    if (wrote)
        write_writer(out, wrote);
    if (wrong)
        sb_printf(out, "%s\n", wrong);
    sb_puts(out, strcmp(reason, "start") == 0     ? "(the first moment)\n"
                 : strcmp(reason, "stopped") == 0 ? "(stopped here)\n"
                                                  : "");
}

/* --- lanes, warps, values --- */

static void write_lane_group(sb *out, const json_t *g)
{
    OWNED char *lanes = lanes_of(g, "lanes", ""), *place = place_of(g);
    sb_printf(out, "  %-8s %-16s %-14s %s\n", text_of(g, "state"), lanes, place, text_of(g, "ptx"));
}

static void write_lanes(sb *out, const json_t *o)
{
    sb_printf(out, "warp %lld\n", number_of(o, "warp"));
    write_list(out, o, "groups", write_lane_group);
}

static void write_warp(sb *out, const json_t *w)
{
    OWNED char *lanes = lanes_of(w, "lanes", "none"), *place = place_of(w);
    sb_printf(out, "  warp %-3lld %-8s %-16s lanes %s\n", number_of(w, "warp"), text_of(w, "state"),
              place, lanes);
}

static void write_warps(sb *out, const json_t *o)
{
    write_block(out, o);
    sb_puts(out, "\n");
    write_list(out, o, "warps", write_warp);
}

/* Write the values of a register or variable by lane: one if all are the same. */
static void write_lane_values(sb *out, const json_t *row)
{
    const json_t *values = json_object_get(row, "values");
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
    sb_printf(out, "%s\n", same && one ? one : "");
}

static void write_register(sb *out, const json_t *row)
{
    sb_printf(out, "  %s=", text_of(row, "name"));
    write_lane_values(out, row);
}

static void write_registers(sb *out, const json_t *o)
{
    write_list(out, o, "registers", write_register);
}

static void write_variable(sb *out, const json_t *row)
{
    sb_printf(out, "  %s %s=", text_of(row, "type"), text_of(row, "name"));
    write_lane_values(out, row);
}

static void write_variables(sb *out, const json_t *o)
{
    write_list(out, o, "variables", write_variable);
}

/* --- memory --- */

/* Write the values of O on the rest of a line. */
static void write_line_of_values(sb *out, const json_t *o)
{
    const json_t *values = json_object_get(o, "values");
    for (size_t i = 0; i < json_array_size(values); i++) {
        const char *value = json_string_value(json_array_get(values, i));
        sb_printf(out, " %s", value ? value : "?");
    }
    sb_puts(out, "\n");
}

static void write_shared_row(sb *out, const json_t *row)
{
    sb_printf(out, "%6lld:", number_of(row, "offset"));
    write_line_of_values(out, row);
}

static void write_shared_variable(sb *out, const json_t *row)
{
    const unsigned long long offset = (unsigned long long)number_of(row, "offset");
    sb_printf(out, "  %s: bytes %llu to %llu\n", text_of(row, "name"), offset,
              offset + (unsigned long long)number_of(row, "bytes") - 1);
}

static void write_shared_memory(sb *out, const json_t *o)
{
    sb_printf(out, "%lld bytes of shared memory, as %s; a row is 32 banks\n", number_of(o, "bytes"),
              text_of(o, "type"));
    write_list(out, o, "rows", write_shared_row);
    write_list(out, o, "variables", write_shared_variable);
}

static void write_device_memory(sb *out, const json_t *o)
{
    const char *place = member_text(o, "place");
    sb_printf(out, "%s:", place ? place : text_of(o, "address"));
    write_line_of_values(out, o);
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
    OWNED char *lanes = lanes_of(o, "lanes", ""), *place = place_of(o);
    const char *array = member_text(o, "memory");
    sb_printf(out, "%s: %s\n", place, text_of(o, "ptx"));
    sb_printf(out, "%s of %s%s%s memory, %lld bytes in each of lanes %s", text_of(o, "effect"),
              array ? array : "", array ? " in " : "", text_of(o, "space"), number_of(o, "bytes"),
              lanes);
    static const char *const units[] = {"passes", "pass", "sectors", "sector"};
    for (size_t i = 0; i < 4; i += 2) {
        const long long needs = number_of(o, units[i]);
        if (json_object_get(o, units[i]))
            sb_printf(out, ": %lld %s, at best %lld", needs, units[i + (needs == 1)],
                      number_of(o, "ideal"));
    }
    sb_puts(out, "\n");
    write_accesses(out, o);
}

/* --- code --- */

static void write_source(sb *out, const json_t *o)
{
    const json_t *lines = json_object_get(o, "lines");
    sb_printf(out, "%s\n", text_of(o, "path"));
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);
        const long long n = number_of(line, "line");
        sb_printf(out, "%c%5lld %s\n", n == number_of(o, "current") ? '>' : ' ', n,
                  text_of(line, "text"));
    }
}

static void write_ptx(sb *out, const json_t *o)
{
    const json_t *insns = json_object_get(o, "insns");
    sb_printf(out, "%s\n", text_of(o, "function"));
    for (size_t i = 0; i < json_array_size(insns); i++) {
        const json_t *insn = json_array_get(insns, i);
        const long long pc = number_of(insn, "pc");
        OWNED char *place = place_of(insn);
        sb_printf(out, "%c%5lld  %-14s %s\n", pc == number_of(o, "current") ? '>' : ' ', pc, place,
                  text_of(insn, "text"));
    }
}

/* --- reports --- */

static void write_report_line(sb *out, const json_t *row)
{
    const char *text = text_of(row, "text");
    sb_printf(out, "%lld: launch %lld, instruction %lld: %.*s\n", number_of(row, "number"),
              number_of(row, "launch"), number_of(row, "count"), (int)strcspn(text, "\n"), text);
}

static void write_reports(sb *out, const json_t *o)
{
    if (!write_list(out, o, "reports", write_report_line))
        sb_puts(out, "none so far\n");
}

/* One of the two moments of a report. A moment without a count is known from the report only. */
static char *side_text(const json_t *o)
{
    sb out = {0};
    sb_printf(&out, "%s %s\n", text_of(o, "who"), text_of(o, "did"));
    if (json_object_get(o, "count"))
        write_moment(&out, o, true);
    else if (member_text(o, "path"))
        sb_printf(&out, "%s:%lld\n", text_of(o, "path"), number_of(o, "line"));
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
    const char *text = text_of(o, "text"), *place = text_of(o, "place"),
               *missing = text_of(o, "missing"), *fix = text_of(o, "fix");
    /* only the first line if both sides show the rest of the text */
    sb_printf(out, "report %lld: %.*s\n\n", number_of(o, "number"),
              (int)(two ? strcspn(text, "\n") : strlen(text)), text);
    if (two)
        write_side_by_side(out, earlier, later);
    else
        sb_puts(out, later);
    if (*missing)
        sb_printf(out, "\nMissing between the two%s%s: %s\n", *place ? ", for " : "", place,
                  missing);
    if (*fix && two)
        sb_printf(out, "\n%s\n", fix);
}

/* --- lists --- */

static void write_choice(sb *out, const json_t *row)
{
    sb_printf(out, "at launch %lld, instruction %lld: warp %lld\n", number_of(row, "launch"),
              number_of(row, "count"), number_of(row, "warp"));
}

static void write_choices(sb *out, const json_t *o)
{
    if (!write_list(out, o, "choices", write_choice))
        sb_puts(out, "none\n");
}

static void write_launch(sb *out, const json_t *row)
{
    sb_printf(out, "launch %lld: %s, ", number_of(row, "launch"), text_of(row, "kernel"));
    if (json_object_get(row, "instructions"))
        sb_printf(out, "%lld instructions\n", number_of(row, "instructions"));
    else
        sb_puts(out, "has not ended yet\n");
}

static void write_launches(sb *out, const json_t *o)
{
    write_list(out, o, "launches", write_launch);
}

static void write_snapshots(sb *out, const json_t *o)
{
    sb_printf(
        out,
        "%lld snapshots of at most %lld, %lld MiB of at most %lld, %lld dropped to stay below "
        "that\n",
        number_of(o, "count"), number_of(o, "most"), number_of(o, "bytes") >> 20,
        number_of(o, "limit") >> 20, number_of(o, "thinned"));
}

static void write_help(sb *out, const json_t *o)
{
    sb_puts(out, text_of(o, "text"));
}

/* --- any answer --- */

static const struct {
    const char *answer;
    void (*write)(sb *out, const json_t *o);
} writers[] = {
    {"where", write_where},          {"lanes", write_lanes},
    {"registers", write_registers},  {"variables", write_variables},
    {"warps", write_warps},          {"shared", write_shared_memory},
    {"global", write_device_memory}, {"request", write_request},
    {"source", write_source},        {"ptx", write_ptx},
    {"reports", write_reports},      {"report", write_report},
    {"choices", write_choices},      {"launches", write_launches},
    {"snapshots", write_snapshots},  {"help", write_help},
};

char *answer_text(const replayer_answer *a)
{
    CLEANUP(sb_free) sb text = {0};
    sb clean = {0};
    if (a->error)
        sb_printf(&text, "error: %s\n", a->error);
    size_t i = 0;
    while (i < sizeof writers / sizeof *writers && strcmp(a->name, writers[i].answer) != 0)
        i++;
    if (i < sizeof writers / sizeof *writers)
        writers[i].write(&text, a->object);
    else if (a->kind == ANSWER_OK)
        sb_printf(&text, "error: the answer \"%s\" is of no known kind\n", a->name);
    append_sanitized(&clean, text.s ? text.s : "", true);
    return sb_take(&clean);
}
