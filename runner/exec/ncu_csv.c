#include "ncu_csv.h"
#include "../base/table.h"
#include "../book/metrics.h"
#include "outputs.h"

#include <string.h>

/* A launch whose counters are being read. */
typedef struct launch_row {
    arena memory;
    const char *launch, *kernel, *grid, *block; /* NULL: no launch yet */
    const char *value[COUNTER_ID_COUNT];
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
    CLEANUP(sb_free) sb s = {0};
    sb_puts(&s, "(");
    for (; *shape; shape++)
        sb_add(&s, *shape == 'x' ? ", " : shape, *shape == 'x' ? 2 : 1);
    sb_puts(&s, ")");
    quoted(b, s.s);
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
    if (l->launch) {
        quoted(b, l->launch);
        quoted(b, program);
        quoted(b, l->kernel);
        quoted_shape(b, l->block);
        quoted_shape(b, l->grid);
        for (size_t k = 0; k < COUNTER_ID_COUNT; k++)
            if (is_of_ncu(k))
                quoted(b, l->value[k] ? l->value[k] : "");
        sb_puts(b, "\n");
    }
    arena_free(&l->memory);
    *l = (launch_row){0};
}

bool ncu_csv_write(const char *counters, const char *file, const char *program)
{
    table_reader t;
    CLEANUP(sb_free) sb b = {0};
    launch_row now = {0};
    append_heading(&b);
    table_open(&t, counters); /* it is not there if no kernel was launched */
    while (table_next(&t)) {
        arena *a = &now.memory;
        if (!now.launch || strcmp(now.launch, table_field(&t, "launch")) != 0) {
            append_launch(&b, &now, program);
            now.launch = arena_strdup(a, table_field(&t, "launch"));
            now.kernel = arena_strdup(a, table_field(&t, "kernel"));
            now.grid = arena_strdup(a, table_field(&t, "grid"));
            now.block = arena_strdup(a, table_field(&t, "block"));
        }
        for (size_t k = 0; k < COUNTER_ID_COUNT; k++)
            if (strcmp(counter_names[k], table_field(&t, "metric")) == 0)
                now.value[k] = arena_strdup(a, table_field(&t, "value"));
    }
    append_launch(&b, &now, program);
    table_close(&t);
    return write_output_file(file, b.s, b.len);
}
