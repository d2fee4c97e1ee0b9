/* Answers the debugger's questions about source variables, for programs compiled with nvcc -G. */
#include "looks.h"

#include "control.h"
#include "dwarf.h"
#include "step.h"

#include <stdlib.h>
#include <string.h>

/* The debug information of a module, kept until the process ends. */
typedef struct module_variables {
    const ptx_module *module;      /* the module, which has debug information */
    dwarf_table *table;            /* the variables; NULL: no debug information */
    struct module_variables *next; /* next of modules_with_variables */
} module_variables;

static module_variables *modules_with_variables; /* list of all modules read so far */

void step_read_module_variables(const ptx_module *m, const char *text)
{
    module_variables *k = step_is_session() && m->debug ? calloc(1, sizeof *k) : NULL;
    if (k) {
        *k = (module_variables){m, dwarf_read(text), modules_with_variables};
        modules_with_variables = k;
    }
}

static const dwarf_table *variables_of_module(const ptx_module *m)
{
    const module_variables *k = modules_with_variables;
    while (k && k->module != m)
        k = k->next;
    return k ? k->table : NULL;
}

/* Read BYTES bytes at OFFSET of the local variable NAME of kernel F. Local variables lie one after
 * another, as compile/translate/slots.c places them. */
static bool local_variable_value(const sm_warp *w, const ptx_func *f, const char *name,
                                 uint64_t offset, uint32_t bytes, uint32_t lane, uint64_t value[2])
{
    uint64_t end = 0;
    for (uint32_t k = 0; k < f->var_count; k++) {
        const ptx_var *var = f->vars[k];
        if (var->space != PTX_SPACE_LOCAL)
            continue;
        const uint64_t align = var->align ? var->align : 1, at = (end + align - 1) / align * align;
        end = at + var->size;
        if (strcmp(var->name, name) == 0 && offset + bytes <= var->size &&
            at + offset + bytes <= w->local_stride && w->local) {
            memcpy(value, w->local + lane * w->local_stride + at + offset, bytes);
            return true;
        }
    }
    return false;
}

/* Read the bits of variable V in lane LANE from LOCATIONS. False: not known. */
static bool variable_value(const sm_warp *w, const step_lane_group *g,
                           const dwarf_location *locations, const dwarf_variable *v, uint32_t lane,
                           uint64_t value[2])
{
    const uint64_t offset = (uint64_t)locations->offset + v->offset;
    const sm_grid *grid = step_worker_state.slot->launch->grid;
    const sm_block *b = step_worker_state.slot->block;
    value[0] = value[1] = 0;
    if (locations->reg[0]) {
        const uint32_t reg = dbg_register_find(g->code->func, locations->reg);
        return !v->offset && reg != PTX_NO_REGISTER &&
               dbg_register_value(g->code, g->window, reg, lane, value);
    }
    const ptx_func *f = g->code->func;
    for (uint32_t k = 0; f->is_entry && k < f->param_count; k++) {
        if (strcmp(f->params[k].name, locations->symbol) == 0 &&
            offset + v->bytes <= f->params[k].size) {
            memcpy(value, grid->params + f->params[k].offset + offset, v->bytes);
            return true;
        }
    }
    for (uint32_t k = 0; k < grid->unit->module->var_count; k++) {
        const ptx_var *var = grid->unit->module->vars[k];
        const uint64_t at = grid->unit->shared_offset[k];
        if (var->space == PTX_SPACE_SHARED && strcmp(var->name, locations->symbol) == 0 &&
            at < b->shared_bytes && offset + v->bytes <= b->shared_bytes - at) {
            memcpy(value, b->shared + at + offset, v->bytes);
            return true;
        }
    }
    return f->is_entry &&
           local_variable_value(w, f, locations->symbol, offset, v->bytes, lane, value);
}

/* Write the bits VALUE of variable V as text, in the type of V. */
static const char *variable_text(const dwarf_variable *v, const uint64_t value[2], char *out,
                                 size_t size)
{
    const uint64_t bits[2] = {
        v->bytes < 8 ? value[0] & ((UINT64_C(1) << 8 * v->bytes) - 1) : value[0], 0};
    const dbg_form form = v->encoding == 0                   ? DBG_ADDRESS
                          : v->encoding == DWARF_FLOAT       ? DBG_FLOAT
                          : v->encoding == DWARF_SIGNED      ? DBG_SIGNED
                          : v->encoding == DWARF_SIGNED_CHAR ? DBG_SIGNED
                                                             : DBG_UNSIGNED;
    return dbg_value_text(form, v->bytes, bits, out, size);
}

/* Where variable V is stored at LINE of the PTX text; NULL: nowhere. */
static const dwarf_location *location_at_line(const dwarf_variable *v, uint32_t line)
{
    for (uint32_t k = 0; k < v->location_count; k++)
        if (v->locations[k].from <= line && line < v->locations[k].to)
            return &v->locations[k];
    return NULL;
}

/* Write the values of variable V. False, and nothing written: they are not known now. */
static bool write_variable(FILE *to, const sm_warp *w, const step_lane_group *g,
                           const dwarf_variable *v, const dwarf_location *locations, bool first)
{
    uint64_t value[SM_LANES][2];
    char text[64];
    for (uint32_t l = 0; l < SM_LANES; l++)
        if (!variable_value(w, g, locations, v, l, value[l]))
            return false;
    fprintf(to, "%s{\"name\":%s,\"type\":%s,\"values\":[", first ? "" : ",", step_quoted(v->name),
            step_quoted(v->type));
    for (uint32_t l = 0; l < SM_LANES; l++)
        fprintf(to, "%s%s", l ? "," : "",
                w->lanes >> l & 1 ? step_quoted(variable_text(v, value[l], text, sizeof text))
                                  : "null");
    fputs("]}", to);
    return true;
}

void step_answer_variables(const sm_warp *w, FILE *to)
{
    const dwarf_table *t = variables_of_module(step_worker_state.slot->launch->grid->unit->module);
    step_lane_group group[STEP_MAX_LANE_GROUPS];
    step_lane_groups(w, group);
    const step_lane_group *g = &group[0];
    if (!g->at || !t) {
        step_write_error(
            to, t ? "all lanes of the warp have left the kernel"
                  : "the program was not compiled with nvcc -G: its registers are known, its "
                    "variables are not");
        return;
    }
    const uint32_t line = g->code->func->insns[g->at->site - g->code->site_base].line;
    fprintf(to, "{\"ok\":true,\"answer\":\"variables\",\"warp\":%u,\"function\":%s,\"variables\":[",
            w->index, step_quoted(g->code->func->name));
    bool first = true;
    for (uint32_t k = 0; k < t->count; k++) {
        const dwarf_variable *v = &t->list[k];
        const dwarf_location *locations = location_at_line(v, line);
        if (locations && v->bytes && v->from <= line && line < v->to &&
            strcmp(v->function, g->code->func->name) == 0)
            first = !write_variable(to, w, g, v, locations, first) && first;
    }
    fputs("]}\n", to);
}
