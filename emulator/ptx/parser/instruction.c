/* Parse the body of a function: scopes, labels, guards and instructions. */
#include "../traits.h"
#include "parser.h"

#include <string.h>

/* --- mnemonics --- */

static void read_mnemonic_word(ptx_mnemonic *m, const char *s, size_t len)
{
    unsigned value;
    switch (ptx_word_find(s, len, &value)) {
    case PTX_WORD_TYPE:
        if (m->type_count == PTX_MAX_TYPES) {
            m->op = PTX_OP_NONE;
            return;
        }
        m->type[m->type_count++] = (ptx_type)value;
        return;
    case PTX_WORD_SPACE: *(m->space ? &m->space2 : &m->space) = (ptx_space)value; return;
    case PTX_WORD_VEC: m->vec = (uint8_t)value; return;
    case PTX_WORD_MOD:
        if (value == PTX_MOD_shared_cluster)
            *(m->space ? &m->space2 : &m->space) = PTX_SPACE_SHARED;
        if (m->mods[value / 64] >> (value % 64) &
            1) /* in .row.row, the second word is the layout of B */
            value = value == PTX_MOD_row ? PTX_MOD_row_b : PTX_MOD_col_b;
        else if (value == PTX_MOD_col && m->mods[PTX_MOD_row / 64] >> (PTX_MOD_row % 64) & 1)
            value = PTX_MOD_col_b;
        else if (value == PTX_MOD_row && m->mods[PTX_MOD_col / 64] >> (PTX_MOD_col % 64) & 1)
            value = PTX_MOD_row_b;
        m->mods[value / 64] |= (uint64_t)1 << (value % 64);
        return;
    default: m->op = PTX_OP_NONE;
    }
}

static ptx_mnemonic *read_mnemonic(ptx_parser *p, const char *text, uint32_t len, uint32_t hash)
{
    ptx_mnemonic *m = ptx_alloc_array(p, 1, sizeof *m);
    m->hash = hash;
    m->len = len;
    m->text = ptx_copy_text(p, text, len);
    m->vec = 1;
    size_t used;
    m->op = ptx_op_find(text, len, &used);
    for (const char *at = text + used; m->op && at < text + len;) {
        at++; /* skip the dot */
        const char *dot = memchr(at, '.', (size_t)(text + len - at));
        size_t n = (size_t)((dot ? dot : text + len) - at);
        read_mnemonic_word(m, at, n);
        at += n;
    }
    return m;
}

static void add_mnemonic(ptx_parser *p, ptx_mnemonic *m)
{
    uint32_t i = m->hash;
    while (p->known[i &= p->known_slots - 1])
        i++;
    p->known[i] = m;
}

static const ptx_mnemonic *find_mnemonic(ptx_parser *p, const char *text, uint32_t len)
{
    uint32_t hash = ptx_hash(text, len);
    if (p->known_slots) {
        for (uint32_t i = hash; p->known[i &= p->known_slots - 1]; i++) {
            const ptx_mnemonic *m = p->known[i];
            if (m->hash == hash && m->len == len && memcmp(m->text, text, len) == 0)
                return m;
        }
    }
    if (p->known_slots <= 2 * p->known_count) {
        ptx_mnemonic **old = p->known;
        uint32_t slots = p->known_slots;
        p->known_slots = slots ? slots * 2 : 512;
        p->known = ptx_alloc_array(p, p->known_slots, sizeof *p->known);
        for (uint32_t i = 0; i < slots; i++)
            if (old[i])
                add_mnemonic(p, old[i]);
    }
    ptx_mnemonic *m = read_mnemonic(p, text, len, hash);
    add_mnemonic(p, m);
    p->known_count++;
    return m;
}

/* The mnemonic that begins at the current token; "add .s32", with a space, is one too. */
static const ptx_mnemonic *current_mnemonic(ptx_parser *p)
{
    char joined[256];
    ptx_lex_rest_of_mnemonic(&p->lex);
    ptx_token t = p->lex.tok;
    ptx_next_token(p);
    if (!ptx_is_token(p, PTX_TOK_DOT))
        return find_mnemonic(p, t.s, t.len);
    uint32_t n = 0;
    ptx_token part = t;
    do {
        if (part.len > sizeof joined - n)
            ptx_fail(p, &t, "this mnemonic is too long");
        memcpy(joined + n, part.s, part.len);
        n += part.len;
        part = p->lex.tok;
        if (part.kind == PTX_TOK_DOT)
            ptx_next_token(p);
    } while (part.kind == PTX_TOK_DOT);
    return find_mnemonic(p, joined, n);
}

/* --- labels --- */

void ptx_set_label_target(ptx_parser *p, uint32_t *target)
{
    ptx_token name = ptx_expect_name(p, "a label");
    ptx_fixup *f = ptx_push_item(p, &p->fixups, sizeof *f);
    f->name = name;
    f->hash = ptx_hash(name.s, name.len);
    f->target = target;
}

/* Resolve the label uses since number FIRST: their labels are declared in the scope that ends. */
static void resolve_labels(ptx_parser *p, uint32_t first)
{
    ptx_fixup *f = p->fixups.items;
    uint32_t kept = first;
    for (uint32_t i = first; i < p->fixups.count; i++) {
        const ptx_symbol *s = ptx_symbol_find(&p->symbols, f[i].name.s, f[i].name.len, f[i].hash);
        if (s && s->depth == p->depth && s->kind == PTX_SYM_LABEL) {
            *f[i].target = s->target;
        } else if (p->depth == 1) {
            ptx_fail(p, &f[i].name, "there is no label %.*s here",
                     (int)(f[i].name.len < 100 ? f[i].name.len : 100), f[i].name.s);
        } else {
            f[kept++] = f[i];
        }
    }
    p->fixups.count = kept;
}

static ptx_symbol *add_label(ptx_parser *p, const ptx_token *name, ptx_symbol_kind kind)
{
    uint32_t hash = ptx_hash(name->s, name->len);
    const ptx_symbol *old = ptx_symbol_find(&p->symbols, name->s, name->len, hash);
    if (old && old->depth == p->depth) {
        ptx_fail(p, name, "%.*s is already declared", (int)(name->len < 100 ? name->len : 100),
                 name->s);
    }
    ptx_symbol *s = ptx_symbol_add(&p->symbols, name->s, name->len, hash, p->depth, kind);
    if (!s)
        ptx_fail_out_of_memory(p);
    return s;
}

/* Parse a list of branch targets: L: .branchtargets A, B; */
static void parse_branch_target_list(ptx_parser *p, const ptx_token *name)
{
    const ptx_lexer start = p->lex;
    uint32_t count = 0;
    do { /* count the labels of the list */
        ptx_expect_name(p, "a label");
        count++;
    } while (ptx_accept_token(p, ','));
    ptx_symbol *s = add_label(p, name, PTX_SYM_TARGETS);
    s->count = count;
    uint32_t *list = s->list = ptx_alloc_array(p, count, sizeof *list);
    p->lex = start;
    for (uint32_t i = 0; i < count; i++) {
        ptx_set_label_target(p, &list[i]);
        ptx_accept_token(p, ',');
    }
    ptx_expect_token(p, ';', "',' or ';'");
}

/* Parse a list of call targets: L: .calltargets f, g; */
static void parse_call_target_list(ptx_parser *p, const ptx_token *name)
{
    ptx_func *first = NULL;
    do {
        ptx_token t = ptx_expect_name(p, "the name of a function");
        const ptx_symbol *s = ptx_symbol_find(&p->symbols, t.s, t.len, ptx_hash(t.s, t.len));
        if (!s || s->kind != PTX_SYM_FUNC)
            ptx_fail(p, &t, "expected the name of a function");
        first = first ? first : s->func;
    } while (ptx_accept_token(p, ','));
    add_label(p, name, PTX_SYM_PROTO)->func = first;
    ptx_expect_token(p, ';', "',' or ';'");
}

static void parse_label(ptx_parser *p)
{
    ptx_token name = p->lex.tok;
    ptx_next_token(p);
    ptx_expect_token(p, ':', "':'");
    if (ptx_accept_dot_word(p, ".branchtargets")) {
        parse_branch_target_list(p, &name);
    } else if (ptx_accept_dot_word(p, ".callprototype")) {
        ptx_func *f = ptx_parse_prototype(p, &name);
        add_label(p, &name, PTX_SYM_PROTO)->func = f;
    } else if (ptx_accept_dot_word(p, ".calltargets")) {
        parse_call_target_list(p, &name);
    } else {
        add_label(p, &name, PTX_SYM_LABEL)->target = p->insn_count;
    }
}

/* --- statements --- */

/* Parse the guard of an instruction: @p or @!p. */
static void parse_guard(ptx_parser *p, uint32_t *reg, bool *negate)
{
    *negate = ptx_accept_token(p, '!');
    ptx_token name = ptx_expect_name(p, "a predicate register");
    const ptx_symbol *s =
        ptx_symbol_find(&p->symbols, name.s, name.len, ptx_hash(name.s, name.len));
    if (!s || s->kind != PTX_SYM_REG || ((ptx_reg *)p->regs.items)[s->reg].type != PTX_pred)
        ptx_fail(p, &name, "a guard must be a predicate register");
    *reg = s->reg;
}

/* Instructions are large and are written once, in place. Therefore allocate as many as there are
 * semicolons in the text. */
static void reserve_insns(ptx_parser *p)
{
    enum { MAX_RESERVED_INSNS = 1 << 16 };
    uint32_t count = 0, open = 1;
    for (const char *c = p->lex.p; open && count < MAX_RESERVED_INSNS && c < p->lex.end; c++) {
        count += *c == ';';
        open += *c == '{';
        open -= *c == '}';
    }
    p->insn_count = 0;
    p->insn_cap = count + 1;
    p->insn = ptx_alloc_array(p, p->insn_cap, sizeof *p->insn);
}

static ptx_insn *new_insn(ptx_parser *p)
{
    if (p->insn_count == p->insn_cap) {
        ptx_insn *grown = ptx_alloc_array(p, p->insn_cap * (size_t)2, sizeof *grown);
        memcpy(grown, p->insn, p->insn_count * sizeof *grown);
        p->insn = grown;
        p->insn_cap *= 2;
    }
    return &p->insn[p->insn_count++];
}

/* If a variable's name is used as a generic address, set the state space of the access to that
 * of the variable. */
static void set_space_of_variable(ptx_insn *in)
{
    const ptx_traits *of = ptx_traits_of(in);
    if (in->space || of->reach != PTX_REACH_any || of->access == PTX_ACCESS_copy)
        return;
    for (unsigned k = 0; k < in->operand_count; k++) {
        const ptx_operand *o = &in->opd[k];
        if (o->memory && o->count == 1 && o->v->kind == PTX_VAL_VAR &&
            (o->v->var->space == PTX_SPACE_GLOBAL || o->v->var->space == PTX_SPACE_SHARED ||
             o->v->var->space == PTX_SPACE_LOCAL))
            in->space = o->v->var->space;
    }
}

/* Insert an instruction before the last one. Its mnemonic is TEXT, its COUNT operands are V. */
static void insert_before_last(ptx_parser *p, const char *text, ptx_value *v, uint8_t count)
{
    const ptx_insn was = p->insn[p->insn_count - 1];
    const ptx_mnemonic *m = find_mnemonic(p, text, (uint32_t)strlen(text));
    *new_insn(p) = was;
    ptx_insn *in = &p->insn[p->insn_count - 2];
    *in = (ptx_insn){.op = m->op,
                     .text = m->text,
                     .guard = PTX_NO_REGISTER,
                     .type_count = m->type_count,
                     .vec = m->vec,
                     .operand_count = count,
                     .line = was.line,
                     .loc = was.loc};
    memcpy(in->type, m->type, sizeof in->type);
    memcpy(in->mods, m->mods, sizeof in->mods);
    for (unsigned k = 0; k < count; k++) {
        in->opd[k].v = &v[k];
        in->opd[k].count = 1;
    }
}

static ptx_value register_value(uint32_t reg)
{
    return (ptx_value){.kind = PTX_VAL_REG, .reg = reg};
}

static ptx_value immediate_value(uint64_t bits)
{
    return (ptx_value){.kind = PTX_VAL_IMM, .reg = PTX_NO_REGISTER, .imm = bits};
}

static ptx_type type_of_register(const ptx_parser *p, uint32_t reg)
{
    return ((const ptx_reg *)p->regs.items)[reg].type;
}

static bool is_integer_up_to_bytes(ptx_type type, uint32_t most)
{
    return type != PTX_pred && ptx_type_class(type) != 'F' && ptx_type_bytes(type) >= 2 &&
           ptx_type_bytes(type) <= most;
}

/* Handle a source written a+1 (a register and a number): insert an add before the instruction.
 * ptxas of CUDA 13.0 crashes on most sums of a float and a number. */
static void insert_add(ptx_parser *p, ptx_value *v, const ptx_token *at)
{
    static const char *const adds[] = {[2] = "add.u16", [4] = "add.u32", [8] = "add.u64"};
    const ptx_type type = type_of_register(p, v->reg);
    const uint32_t bytes = ptx_type_bytes(type);
    if (v->negate || v->select || !is_integer_up_to_bytes(type, 8))
        ptx_fail(p, at, "a number is added to registers of 16, 32 or 64-bit integers only");
    ptx_value *sum = ptx_alloc_array(p, 3, sizeof *sum);
    sum[0] = register_value(ptx_add_unnamed_reg(p, at, type));
    sum[1] = register_value(v->reg);
    sum[2] = immediate_value((uint64_t)v->offset & UINT64_MAX >> (64 - 8 * bytes));
    insert_before_last(p, adds[bytes], sum, 3);
    *v = register_value(sum[0].reg);
}

/* Handle an array element a[r] as an operand: insert before the instruction others that compute its
 * address. The offset has 32 bits; for an array in global memory it is added without extension. */
static void insert_index_address(ptx_parser *p, ptx_value *v, const ptx_token *at)
{
    static const char *const narrows[] = {[2] = "cvt.u32.u16", [8] = "cvt.u32.u64"};
    const ptx_type type = type_of_register(p, v->reg);
    const uint32_t bytes = ptx_type_bytes(type);
    const ptx_space space = v->var->space;
    const bool narrow = space == PTX_SPACE_SHARED || space == PTX_SPACE_LOCAL;
    if (!is_integer_up_to_bytes(type, 8))
        ptx_fail(p, at, "the index of an element is a register of 16, 32 or 64-bit integers");
    ptx_value *x = ptx_alloc_array(p, 11, sizeof *x);
    uint32_t index = v->reg;
    if (bytes != 4) {
        x[0] = register_value(ptx_add_unnamed_reg(p, at, PTX_u32));
        x[1] = register_value(index);
        index = x[0].reg;
        insert_before_last(p, narrows[bytes], x, 2);
    }
    x[2] = register_value(ptx_add_unnamed_reg(p, at, PTX_u32));
    x[3] = register_value(index);
    x[4] = immediate_value(ptx_type_bytes(v->var->type));
    x[5] = immediate_value((uint32_t)v->offset);
    insert_before_last(p, "mad.lo.u32", x + 2, 4);
    uint32_t distance = x[2].reg;
    if (!narrow) {
        x[6] = register_value(ptx_add_unnamed_reg(p, at, PTX_u64));
        x[7] = register_value(distance);
        distance = x[6].reg;
        insert_before_last(p, "cvt.u64.u32", x + 6, 2);
    }
    x[8] = register_value(ptx_add_unnamed_reg(p, at, narrow ? PTX_u32 : PTX_u64));
    x[9] = register_value(distance);
    x[10] = (ptx_value){.kind = PTX_VAL_VAR, .reg = PTX_NO_REGISTER, .var = v->var, .sum = true};
    insert_before_last(p, narrow ? "add.u32" : "add.u64", x + 8, 3);
    *v = register_value(x[8].reg);
}

static void insert_adds_for_sums(ptx_parser *p)
{
    const ptx_token end = p->lex.tok;
    const unsigned count = p->insn[p->insn_count - 1].operand_count;
    for (unsigned k = 0; k < count; k++) {
        const ptx_operand *o = &p->insn[p->insn_count - 1].opd[k];
        if (o->count == 1 && o->v->kind == PTX_VAL_REG && o->v->sum)
            insert_add(p, o->v, &end);
        else if (o->count == 1 && o->v->kind == PTX_VAL_VAR && o->v->reg != PTX_NO_REGISTER)
            insert_index_address(p, o->v, &end);
    }
}

static void parse_instruction(ptx_parser *p)
{
    uint32_t guard_reg = PTX_NO_REGISTER, line = p->lex.tok.line;
    bool negate = false;
    if (ptx_accept_token(p, '@'))
        parse_guard(p, &guard_reg, &negate);
    if (!ptx_is_token(p, PTX_TOK_NAME)) {
        ptx_fail(p, &p->lex.tok, "expected an instruction%s",
                 ptx_is_token(p, PTX_TOK_END) ? ", but the text ends here" : "");
    }
    const ptx_mnemonic *m = current_mnemonic(p);
    ptx_insn *in = new_insn(p);
    in->op = m->op;
    in->text = m->text;
    in->guard = guard_reg;
    in->guard_negate = negate;
    in->type_count = m->type_count;
    memcpy(in->type, m->type, sizeof in->type);
    in->space = m->space;
    in->space2 = m->space2;
    in->vec = m->vec;
    memcpy(in->mods, m->mods, sizeof in->mods);
    if (ptx_traits_of(in)->means == PTX_MEANS_address && ptx_has_modifier(in, PTX_MOD_to))
        in->space2 = in->space;
    in->line = line;
    in->loc = p->loc;
    in->moved = p->moved;
    if (in->op == PTX_OP_NONE) { /* ptx_check reports an unknown operation */
        ptx_skip_statement(p);
        return;
    }
    ptx_parse_operands(p, in);
    set_space_of_variable(in);
    insert_adds_for_sums(p);
    ptx_expect_token(p, ';', "',' or ';'");
}

void ptx_parse_body(ptx_parser *p)
{
    uint32_t first_fixup[PTX_LIMIT_DEPTH + 1];
    ptx_token open = p->lex.tok;
    reserve_insns(p);
    ptx_expect_token(p, '{', "'{'");
    first_fixup[1] = 0;
    for (;;) {
        if (ptx_is_token(p, PTX_TOK_NAME) && ptx_lex_at_label(&p->lex)) {
            parse_label(p);
        } else if (ptx_is_token(p, PTX_TOK_NAME) || ptx_is_token(p, '@')) {
            parse_instruction(p);
        } else if (ptx_accept_dot_word(p, ".loc")) {
            ptx_parse_loc(p);
        } else if (ptx_accept_dot_word(p, ".file")) {
            ptx_parse_file(p);
        } else if (ptx_accept_dot_word(p, ".pragma")) {
            ptx_skip_statement(p);
        } else if (ptx_is_token(p, PTX_TOK_DOT) && ptx_parse_local(p)) {
        } else if (ptx_accept_token(p, ';')) {
        } else if (ptx_is_token(p, '{')) {
            if (p->depth == PTX_LIMIT_DEPTH)
                ptx_fail(p, &p->lex.tok, "braces are nested too deeply");
            ptx_next_token(p);
            first_fixup[++p->depth] = p->fixups.count;
        } else if (ptx_is_token(p, '}')) {
            resolve_labels(p, first_fixup[p->depth]);
            ptx_symbols_leave_scope(&p->symbols, --p->depth);
            ptx_next_token(p);
            if (!p->depth)
                return;
        } else if (ptx_is_token(p, PTX_TOK_END)) {
            ptx_fail(p, &open, "this function's '}' is missing");
        } else {
            ptx_fail(p, &p->lex.tok, "expected an instruction, a label or a declaration");
        }
    }
}
