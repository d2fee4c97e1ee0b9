/* Converts the statistics of instructions into counters, and into one row per source line. */
#include "collect.h"
#include "../compile/ptxas/facts.h"
#include "../ptx/traits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Add the counts S of instruction IN, an access to shared memory, to the counters V. */
static void add_shared_counters(const ptx_insn *in, uint16_t fact, const insn_stats *s, uint64_t *v)
{
    const ptx_traits *t = ptx_traits_of(in);
    const bool matrix = t->unit == PTX_UNIT_matrix;
    switch (t->access) {
    case PTX_ACCESS_load:
        v[CTR_shared_ld_requests] += s->requests;
        v[CTR_shared_ld_conflicts] += s->conflicts;
        v[matrix && ptx_type_bytes(in->type[0]) <= 2 ? CTR_shared_ldmatrix_wavefronts
                                                     : CTR_shared_ld_wavefronts] += s->sectors;
        break;
    case PTX_ACCESS_store:
        v[CTR_shared_st_requests] += s->requests;
        v[CTR_shared_st_conflicts] += s->conflicts;
        v[matrix ? CTR_shared_stmatrix_wavefronts : CTR_shared_st_wavefronts] += s->sectors;
        break;
    case PTX_ACCESS_atom:
    case PTX_ACCESS_red:
        v[CTR_shared_atom_requests] += s->requests;
        if (fact & COMPILE_FACT_COUNTS) {
            v[CTR_shared_atom_wavefronts] += s->ideal + s->conflicts;
        } else { /* a compare-and-swap takes one pass to read and one to write */
            v[CTR_shared_atom_wavefronts] +=
                s->sectors * (ptx_has_modifier(in, PTX_MOD_cas) ? 2 : 1);
        }
        break;
    case PTX_ACCESS_copy: /* asynchronous copies count their own stores */
    case PTX_ACCESS__: break;
    }
}

static bool is_float(ptx_type t)
{
    return t != PTX_u32 && t != PTX_s32 && t != PTX_u64 && t != PTX_s64;
}

/* Add the counts S of instruction IN, an access to global memory, to the counters V. */
static void add_global_counters(const ptx_insn *in, uint16_t fact, const insn_stats *s, uint64_t *v)
{
    switch (ptx_traits_of(in)->access) {
    case PTX_ACCESS_store:
        v[CTR_st_requests] += s->requests;
        v[CTR_st_sectors] += s->sectors;
        break;
    case PTX_ACCESS_atom:
    case PTX_ACCESS_red:
        v[CTR_atom_lanes] += s->lanes;
        v[CTR_atom_float_lanes] +=
            ptx_has_modifier(in, PTX_MOD_add) && is_float(in->type[0]) ? s->lanes : 0;
        /* An exchange is always counted as atom: PTX has no red instruction that exchanges. */
        if (ptx_is_result_operand(in, 0) &&
            (fact & COMPILE_FACT_OLD_USED || ptx_has_modifier(in, PTX_MOD_exch) ||
             ptx_has_modifier(in, PTX_MOD_cas))) {
            v[CTR_atom_requests] += s->requests;
            v[CTR_atom_sectors] += s->sectors;
            break;
        }
        v[CTR_red_requests] += s->requests;
        v[CTR_red_sectors] += fact & COMPILE_FACT_COMBINED ? s->requests : s->sectors;
        break;
    case PTX_ACCESS_load:
    case PTX_ACCESS_copy:
        v[CTR_ld_requests] += s->requests;
        v[CTR_ld_sectors] += s->sectors;
        v[CTR_read_only_sectors] += ptx_has_modifier(in, PTX_MOD_nc) ? s->sectors : 0;
        v[CTR_l2_read_requests] += s->far;
        break;
    case PTX_ACCESS__: break;
    }
}

/* The counter of texture requests of instruction IN; the next row of counters.def counts their
 * sectors. */
static counter_id texture_counter(const ptx_insn *in)
{
    const ptx_access access = ptx_traits_of(in)->access;
    return ptx_traits_of(in)->unit == PTX_UNIT_texture ? CTR_tex_requests
           : access == PTX_ACCESS_load                 ? CTR_surf_ld_requests
           : access == PTX_ACCESS_store                ? CTR_surf_st_requests
                                                       : CTR_surf_red_requests;
}

void profiler_collect_counters(const sm_code *code, const insn_stats *site, counters *out)
{
    uint64_t *v = out->v;
    for (uint32_t k = 0; k < code->func->insn_count; k++) {
        const insn_stats *s = &site[k];
        if (s->requests == 0)
            continue;
        const ptx_insn *in = &code->func->insns[k];
        bool store;
        switch (ptx_space_of(in)) {
        case PTX_SPACE_SHARED: add_shared_counters(in, code->facts->of[k], s, v); break;
        case PTX_SPACE_CONST:
            v[CTR_const_requests] += s->requests;
            v[CTR_const_addresses] += s->sectors;
            v[CTR_const_replays] += s->sectors - s->requests;
            if (in->opd[1].v[0].kind == PTX_VAL_REG)
                v[CTR_const_indexed] += s->requests;
            break;
        case PTX_SPACE_LOCAL:
            store = ptx_traits_of(in)->access == PTX_ACCESS_store;
            v[store ? CTR_local_st_requests : CTR_local_ld_requests] += s->requests;
            v[store ? CTR_local_st_sectors : CTR_local_ld_sectors] += s->sectors;
            break;
        case PTX_SPACE_TEX:
            v[texture_counter(in)] += s->requests;
            v[texture_counter(in) + 1] += s->sectors;
            break;
        default: add_global_counters(in, code->facts->of[k], s, v);
        }
    }
}

void profiler_add_insn_stats(insn_stats *to, const insn_stats *from, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        insn_stats *t = &to[k];
        const insn_stats *f = &from[k];
        t->requests += f->requests;
        t->lanes += f->lanes;
        t->sectors += f->sectors;
        t->ideal += f->ideal;
        t->conflicts += f->conflicts;
        t->even += f->even;
        t->far += f->far;
        const uint64_t have = t->stride < 0 ? -(uint64_t)t->stride : (uint64_t)t->stride;
        const uint64_t more = f->stride < 0 ? -(uint64_t)f->stride : (uint64_t)f->stride;
        if (more > have || (more == have && f->stride > t->stride))
            t->stride = f->stride;
    }
}

const char *profiler_space_name(ptx_space space)
{
    switch (space) {
    case PTX_SPACE_SHARED: return "shared";
    case PTX_SPACE_CONST: return "const";
    case PTX_SPACE_LOCAL: return "local";
    case PTX_SPACE_TEX: return "texture";
    default: return "global";
    }
}

uint32_t profiler_source_line_of(const ptx_module *m, const ptx_insn *in, char *file, size_t size)
{
    char where[256];
    ptx_source_position(m, in, where, sizeof where);
    char *colon = strrchr(where, ':');
    if (!colon) {
        snprintf(file, size, "-");
        return 0;
    }
    *colon = 0;
    snprintf(file, size, "%s", where);
    return (uint32_t)strtoul(colon + 1, NULL, 10);
}

void profiler_operation_text(const ptx_insn *in, char *buf, size_t size)
{
    static const char *const spaces[] = {"",       "",       ".const",  ".global",
                                         ".local", ".param", ".shared", ".tex"};
    char vec[8] = "";
    if (in->vec > 1)
        snprintf(vec, sizeof vec, ".v%u", in->vec);
    const char *type = ptx_type_name(in->type[0]); /* cp.async has no type */
    snprintf(buf, size, "%s%s%s%s%s", ptx_op_name(in->op), spaces[in->space], vec, *type ? "." : "",
             type);
}

size_t profiler_line_rows(const sm_code *code, const insn_stats *site, line_row **out)
{
    const ptx_func *f = code->func;
    size_t count = 0;
    enum { FILE_BYTES = 256, OP_BYTES = 48 };
    *out = NULL;
    for (uint32_t k = 0; k < f->insn_count; k++)
        count += site[k].requests != 0;
    line_row *rows = count ? malloc(count * (sizeof *rows + FILE_BYTES + OP_BYTES)) : NULL;
    if (!rows)
        return 0;
    char *text = (char *)(rows + count);
    size_t n = 0;
    for (uint32_t k = 0; k < f->insn_count; k++) {
        if (site[k].requests == 0)
            continue;
        const ptx_insn *in = &f->insns[k];
        line_row *row = &rows[n++];
        row->file = text;
        row->line = profiler_source_line_of(code->unit->module, in, text, FILE_BYTES);
        uint32_t line;
        const char *path = ptx_source_file(code->unit->module, in, &line);
        row->path = path ? path : "";
        text += FILE_BYTES;
        row->op = text;
        profiler_operation_text(in, text, OP_BYTES);
        text += OP_BYTES;
        row->space = profiler_space_name(ptx_space_of(in));
        row->s = site[k];
        if (row->s.even == 0)
            row->s.stride = INT64_MIN;
    }
    *out = rows;
    return count;
}
