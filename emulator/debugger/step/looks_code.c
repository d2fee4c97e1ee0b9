/* Answers the debugger's questions about registers and code. */
#include "looks.h"

#include "../../ptx/traits.h"
#include "control.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- registers --- */

/* The name that PROTOCOL.md gives to the type of a register of FORM. */
static const char *register_type_name(dbg_form form, uint32_t bytes)
{
    static const char *const names[][5] = {[DBG_BITS] = {"b8", "b16", "b32", "b64", "b128"},
                                           [DBG_UNSIGNED] = {"u8", "u16", "u32", "u64", "b128"},
                                           [DBG_SIGNED] = {"s8", "s16", "s32", "s64", "b128"},
                                           [DBG_FLOAT] = {"b8", "b16", "f32", "f64", "b128"},
                                           [DBG_ADDRESS] = {"b8", "b16", "b32", "b64", "b128"}};
    const uint32_t k = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : 4;
    return form == DBG_PREDICATE ? "pred" : names[form][k];
}

/* Write register REG of the lanes EXIST of group G. FIRST: no comma before it. */
static void write_register_values(FILE *to, const step_lane_group *g, const dbg_form *forms,
                                  uint32_t reg, uint32_t exist, bool first)
{
    const ptx_func *f = g->code->func;
    const uint32_t bytes = dbg_register_bytes(f, reg);
    char text[64];
    fprintf(to, "%s{\"name\":\"%s\",\"type\":\"%s\",\"values\":[", first ? "" : ",",
            f->regs[reg].name, register_type_name(forms[reg], bytes));
    for (uint32_t l = 0; l < SM_LANES; l++) {
        uint64_t value[2];
        const bool there = exist >> l & 1 && dbg_register_value(g->code, g->window, reg, l, value);
        fprintf(to, "%s%s", l ? "," : "",
                there ? step_quoted(dbg_value_text(forms[reg], bytes, value, text, sizeof text))
                      : "null");
    }
    fputs("]}", to);
}

/* Mark in WANTED the registers that occur in the source line at which group G stands. */
static void mark_registers_of_line(const step_lane_group *g, bool *wanted)
{
    const ptx_func *f = g->code->func;
    const step_line *all = &step_worker_state.slot->launch->line[g->code->site_base];
    const uint32_t at = g->at->site - g->code->site_base;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        if (all[k].line == all[at].line && all[k].path == all[at].path) {
            PTX_EACH_READ(r, &f->insns[k])
                wanted[r.reg] = true;
            PTX_EACH_WRITTEN(r, &f->insns[k])
                wanted[r.reg] = true;
        }
    }
}

/* Mark in WANTED the registers that TEXT names. Returns false after an error message if a register
 * does not exist. */
static bool mark_named_registers(const char *text, const ptx_func *f, bool *wanted, FILE *to)
{
    while (*text) {
        char name[80], sentence[200];
        const size_t n = strcspn(text, " \t\r\n");
        snprintf(name, sizeof name, "%.*s", (int)n, text);
        const uint32_t reg = dbg_register_find(f, name);
        if (reg == PTX_NO_REGISTER) {
            snprintf(sentence, sizeof sentence, "the function has no register %s", name);
            return step_write_error(to, sentence);
        }
        wanted[reg] = true;
        text += n + strspn(text + n, " \t\r\n");
    }
    return true;
}

void step_answer_registers(const sm_warp *w, const char *text, FILE *to)
{
    step_lane_group group[STEP_MAX_LANE_GROUPS];
    step_lane_groups(w, group);
    const step_lane_group *g = &group[0];
    if (!g->at) {
        step_write_error(to, "all lanes of the warp have left the kernel");
        return;
    }
    const ptx_func *f = g->code->func;
    bool *wanted = calloc(f->reg_count + 1u, sizeof *wanted);
    bool good = wanted != NULL;
    if (good && strncmp(text, "all", 3) == 0)
        memset(wanted, 1, f->reg_count);
    else if (good && *text)
        good = mark_named_registers(text, f, wanted, to);
    else if (good)
        mark_registers_of_line(g, wanted);
    if (good)
        fprintf(to,
                "{\"ok\":true,\"answer\":\"registers\",\"warp\":%u,\"function\":%s,\"registers\":[",
                w->index, step_quoted(f->name));
    bool first = true;
    for (uint32_t r = 0; good && r < f->reg_count; r++) {
        if (wanted[r] && g->code->reg_slot && g->code->reg_slot[r]) {
            write_register_values(to, g, step_worker_state.slot->launch->forms[g->code->index], r,
                                  w->lanes, first);
            first = false;
        }
    }
    if (good)
        fputs("]}\n", to);
    free(wanted);
}

/* --- source --- */

static const char mark[] = ",\"current\":true"; /* of the line or instruction that comes next */

/* Write the lines FROM to LAST of the file PATH, whose line CURRENT, if not 0, is the current one.
 */
static void write_source_lines(FILE *to, const char *path, uint32_t from, uint32_t last,
                               uint32_t current)
{
    fprintf(to, "{\"ok\":true,\"answer\":\"source\",\"path\":%s,\"lines\":[", step_quoted(path));
    for (uint32_t n = from; n <= last; n++) {
        char *line = step_source_line(path, n);
        if (!line)
            break;
        fprintf(to, "%s{\"line\":%u,\"text\":%s%s}", n > from ? "," : "", n, step_quoted(line),
                n == current ? mark : "");
        free(line);
    }
    fputs("]}\n", to);
}

/* The path of a source file of the launch's module that ends with NAME. */
static const char *find_source_path(const char *name)
{
    const ptx_module *m = step_worker_state.slot->launch->grid->unit->module;
    for (uint32_t k = 1; k < m->file_count; k++)
        if (step_is_path_of_file(m->files[k], name))
            return m->files[k];
    return NULL;
}

void step_answer_source(const char *text, FILE *to)
{
    enum { LINES_AROUND = 5, MAX_LINES = 2000 };
    const step_line *at = &step_worker_state.slot->launch->line[step_worker_state.i->site];
    const char *path = at->path;
    uint32_t from = at->line > LINES_AROUND ? at->line - LINES_AROUND : 1,
             last = at->line + LINES_AROUND;
    if (*text && (*text < '0' || *text > '9')) {
        char name[512];
        const size_t n = strcspn(text, " \t\r\n");
        snprintf(name, sizeof name, "%.*s", (int)n, text);
        text += n + strspn(text + n, " \t\r\n");
        path = find_source_path(name);
        from = 1;
        last = MAX_LINES;
    }
    if (*text) {
        char *end;
        from = (uint32_t)strtoul(text, &end, 10);
        from = from ? from : 1;
        text = end + strspn(end, " \t\r\n");
        last = *text ? (uint32_t)strtoul(text, NULL, 10) : from;
        last = last < from ? from : last - from > MAX_LINES ? from + MAX_LINES : last;
    }
    char *first = step_source_line(path, from);
    if (!first) {
        step_write_error(to, path ? "the file cannot be read, or has no such line"
                                  : "the source line is not known: compile with nvcc -lineinfo");
        return;
    }
    free(first);
    write_source_lines(to, path, from, last, path == at->path ? at->line : 0);
}

void step_answer_ptx(const char *text, FILE *to)
{
    const step_state *s = &step_worker_state;
    const sm_code *code;
    uint32_t pc;
    step_insn_at(s->slot, s->i->site, &code, &pc);
    const uint32_t around = *text >= '0' && *text <= '9' ? (uint32_t)strtoul(text, NULL, 10) : 5;
    const uint32_t from = pc > around ? pc - around : 0;
    fprintf(to, "{\"ok\":true,\"answer\":\"ptx\",\"function\":%s,\"insns\":[",
            step_quoted(code->func->name));
    for (uint32_t k = from; k < code->func->insn_count && k - pc + around <= 2 * around; k++) {
        const uint32_t site = code->site_base + k;
        char *ptx = step_ptx_text(s->slot, site);
        fprintf(to, "%s{\"pc\":%u,\"text\":%s", k > from ? "," : "", k, step_quoted(ptx));
        step_write_position(to, s->slot, site, false);
        fprintf(to, "%s}", k == pc ? mark : "");
        free(ptx);
    }
    fputs("]}\n", to);
}
