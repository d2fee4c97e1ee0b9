#include "ncu_csv.h"
#include "../base/text.h"
#include "../book/metrics.h"
#include "outputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns of the table. */
enum { LAUNCH, KERNEL, GRID, BLOCK, METRIC, VALUE, COLUMNS };

/* A launch whose counters are being read. */
typedef struct launch_row {
    char *field[METRIC]; /* what stands in front of the counters; NULL: no launch yet */
    char *value[COUNTER_ID_COUNT];
} launch_row;

/* Counters whose names begin with ptx__ are warpbook's own, which ncu does not have. */
static bool is_of_ncu(size_t k)
{
    return !starts_with(counter_names[k], "ptx__");
}

static void quoted(sb *b, const char *text)
{
    sb_puts(b, b->len && b->s[b->len - 1] != '\n' ? ",\"" : "\"");
    for (; *text; text++) {
        sb_add(b, text, 1);
        if (*text == '"')
            sb_add(b, text, 1);
    }
    sb_puts(b, "\"");
}

/* A shape like 64x2x1 as ncu writes it: (64, 2, 1). */
static void quoted_shape(sb *b, const char *shape)
{
    sb s = {0};
    sb_puts(&s, "(");
    for (; *shape; shape++)
        sb_add(&s, *shape == 'x' ? ", " : shape, *shape == 'x' ? 2 : 1);
    sb_puts(&s, ")");
    quoted(b, s.s);
    sb_free(&s);
}

static const char *unit_of(const char *name)
{
    return strstr(name, "_sectors_") ? "sector" : strstr(name, "_requests_") ? "request" : "";
}

static void append_heading(sb *b)
{
    static const char *const fixed[] = {"ID", "Process Name", "Kernel Name", "Block Size",
                                        "Grid Size"};
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
        quoted(b, fixed[k]);
    for (size_t k = 0; k < COUNTER_ID_COUNT; k++)
        if (is_of_ncu(k))
            quoted(b, counter_names[k]);
    sb_puts(b, "\n");
    for (size_t k = 0; k < sizeof fixed / sizeof *fixed; k++)
        quoted(b, "");
    for (size_t k = 0; k < COUNTER_ID_COUNT; k++)
        if (is_of_ncu(k))
            quoted(b, unit_of(counter_names[k]));
    sb_puts(b, "\n");
}

/* Append the launch, and forget it. */
static void append_launch(sb *b, launch_row *l, const char *program)
{
    if (l->field[LAUNCH]) {
        quoted(b, l->field[LAUNCH]);
        quoted(b, program);
        quoted(b, l->field[KERNEL]);
        quoted_shape(b, l->field[BLOCK]);
        quoted_shape(b, l->field[GRID]);
        for (size_t k = 0; k < COUNTER_ID_COUNT; k++)
            if (is_of_ncu(k))
                quoted(b, l->value[k] ? l->value[k] : "");
        sb_puts(b, "\n");
    }
    for (size_t k = 0; k < METRIC; k++)
        free(l->field[k]);
    for (size_t k = 0; k < COUNTER_ID_COUNT; k++)
        free(l->value[k]);
    *l = (launch_row){0};
}

static void take_value(launch_row *l, const char *name, const char *value)
{
    for (size_t k = 0; k < COUNTER_ID_COUNT; k++)
        if (strcmp(counter_names[k], name) == 0) {
            free(l->value[k]);
            l->value[k] = xstrdup(value);
        }
}

bool ncu_csv_write(const char *counters, const char *file, const char *program)
{
    FILE *from = fopen(counters, "re"); /* it is not there if no kernel was launched */
    char *line = NULL, *field[COLUMNS];
    size_t room = 0;
    sb b = {0};
    launch_row now = {0};
    append_heading(&b);
    while (from && getline(&line, &room, from) > 0) {
        if (cut_fields(line, field, COLUMNS) != COLUMNS || strcmp(field[LAUNCH], "launch") == 0)
            continue;
        if (!now.field[LAUNCH] || strcmp(now.field[LAUNCH], field[LAUNCH]) != 0) {
            append_launch(&b, &now, program);
            for (size_t k = 0; k < METRIC; k++)
                now.field[k] = xstrdup(field[k]);
        }
        take_value(&now, field[METRIC], field[VALUE]);
    }
    append_launch(&b, &now, program);
    if (from)
        fclose(from);
    free(line);
    const bool written = write_output_file(file, b.s, b.len);
    sb_free(&b);
    return written;
}
