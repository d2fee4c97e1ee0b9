/* Parse the directives .file and .loc: source positions (PTX ISA 11.5). */
#include "parser.h"

enum { MAX_FILE_NUMBER = 1 << 16 };

static uint32_t parse_small_number(ptx_parser *p)
{
    ptx_token t = p->lex.tok;
    uint64_t n = ptx_parse_constant_int(p);
    if (n > UINT32_MAX / 2)
        ptx_fail(p, &t, "this number is too large here");
    return (uint32_t)n;
}

/* Parse the directive .file 1 "path" {, timestamp, size}. */
void ptx_parse_file(ptx_parser *p)
{
    ptx_token at = p->lex.tok;
    uint32_t n = parse_small_number(p);
    if (n >= MAX_FILE_NUMBER)
        ptx_fail(p, &at, "file numbers go up to %d", MAX_FILE_NUMBER - 1);
    ptx_token name = p->lex.tok;
    ptx_expect_token(p, PTX_TOK_STRING, "the name of the file");
    while (p->files.count <= n)
        ptx_push_item(p, &p->files, sizeof(char *));
    ((const char **)p->files.items)[n] = ptx_copy_text(p, name.s + 1, name.len - 2);
    while (ptx_accept_token(p, ','))
        ptx_parse_constant_int(p);
}

static uint32_t position_hash(uint32_t file, uint32_t line, uint32_t column)
{
    uint32_t h = line * 2654435761u ^ column * 2246822519u ^ file * 3266489917u;
    return h ^ h >> 15;
}

static void add_to_position_table(ptx_parser *p, uint32_t index)
{
    const ptx_loc *locs = p->locs.items, *l = &locs[index];
    uint32_t at = position_hash(l->file, l->line, l->column);
    for (;; at++) {
        uint32_t *slot = &p->loc_slot[at &= p->loc_slots - 1];
        const ptx_loc *old = *slot ? &locs[*slot - 1] : NULL;
        if (!old || (old->file == l->file && old->line == l->line && old->column == l->column)) {
            *slot = index + 1;
            return;
        }
    }
}

/* Index of the most recent position with FILE, LINE and COLUMN; 0: none. */
static uint32_t latest_position(const ptx_parser *p, uint32_t file, uint32_t line, uint32_t column)
{
    const ptx_loc *locs = p->locs.items;
    if (!p->loc_slots)
        return 0;
    for (uint32_t at = position_hash(file, line, column);; at++) {
        uint32_t slot = p->loc_slot[at &= p->loc_slots - 1];
        if (!slot)
            return 0;
        const ptx_loc *l = &locs[slot - 1];
        if (l->file == file && l->line == line && l->column == column)
            return slot - 1;
    }
}

static uint32_t add_position(ptx_parser *p, uint32_t file, uint32_t line, uint32_t column,
                             uint32_t inlined_at)
{
    uint32_t old = latest_position(p, file, line, column);
    if (old && ((ptx_loc *)p->locs.items)[old].inlined_at == inlined_at)
        return old;
    uint32_t index = p->locs.count;
    *(ptx_loc *)ptx_push_item(p, &p->locs, sizeof(ptx_loc)) =
        (ptx_loc){file, line, column, inlined_at};
    if (p->loc_slots < 2 * p->locs.count) {
        p->loc_slots = p->loc_slots ? p->loc_slots * 2 : 256;
        p->loc_slot = ptx_alloc_array(p, p->loc_slots, sizeof *p->loc_slot);
        for (uint32_t i = 1; i <= index; i++)
            add_to_position_table(p, i);
    } else {
        add_to_position_table(p, index);
    }
    return index;
}

/* Parse the directive .loc 1 31 5 {, function_name LABEL {+ n}, inlined_at 1 40 9}. For nested
 * inlining, nvcc first writes the position of the call, with its own inlined_at. The parser
 * finds the chain by looking up positions. */
void ptx_parse_loc(ptx_parser *p)
{
    uint32_t file = parse_small_number(p), line = parse_small_number(p), column = 0, inlined_at = 0;
    if (ptx_is_token(p, PTX_TOK_INT))
        column = parse_small_number(p);
    while (ptx_accept_token(p, ',')) {
        ptx_token word = ptx_expect_name(p, "function_name or inlined_at");
        if (ptx_token_is_word(&word, "function_name")) {
            if (!ptx_accept_token(p, PTX_TOK_NAME))
                ptx_expect_token(p, PTX_TOK_DOT, "a label");
            if (ptx_accept_token(p, '+'))
                ptx_parse_constant_int(p);
        } else if (ptx_token_is_word(&word, "inlined_at")) {
            uint32_t f = parse_small_number(p), l = parse_small_number(p),
                     c = parse_small_number(p);
            inlined_at = latest_position(p, f, l, c);
            if (!inlined_at)
                inlined_at = add_position(p, f, l, c, 0);
        } else {
            ptx_fail(p, &word, "expected function_name or inlined_at");
        }
    }
    /* Line 0 marks code that the compiler moved, mostly out of a loop: it keeps the preceding
     * position. */
    p->moved = !line;
    if (line || !p->loc)
        p->loc = add_position(p, file, line, column, inlined_at);
}
