/* Any bytes as PTX: the parser must neither crash nor read past the end, and every error must have
 * a text. A parsed module is checked, printed and parsed again, and must then print the same text.
 *
 * With clang -fsanitize=fuzzer this is a libFuzzer target. Built with FUZZ_MAIN it runs alone:
 * fuzz_ptx COUNT SEED FILE... tries COUNT inputs made from the files. */
#include "emulator/ptx/ptx.h"
#include "fuzz.h"
#include "tests/lib/ptx_print.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct text {
    char *s;    /* the text, which the owner frees */
    size_t len; /* length in bytes */
} text;

static text print_module(const ptx_module *m)
{
    text t = {NULL, 0};
    FILE *f = open_memstream(&t.s, &t.len);
    if (!f)
        abort();
    ptx_print(f, m);
    if (fclose(f) != 0)
        abort();
    return t;
}

static bool are_all_kernels_legal(const ptx_module *m)
{
    ptx_error err;
    char where[64];
    bool legal = true;
    for (uint32_t i = 0; i < m->func_count; i++) {
        const ptx_func *f = m->funcs[i];
        if (!ptx_check(m, f, &err) && !err.text[0])
            abort();
        legal &= ptx_is_legal(m, f, &err);
        for (uint32_t k = 0; k < f->insn_count; k++)
            ptx_source_position(m, &f->insns[k], where, sizeof where);
        if (!f->is_proto && !ptx_find_func(m, f->name))
            abort();
    }
    return legal;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ptx_error err;
    /* An allocation of the exact size, so that a sanitizer detects overruns. */
    char *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    ptx_module *m = ptx_parse(copy, size, &err);
    free(copy);
    if (!m) {
        if (!err.text[0] || !err.kind)
            abort();
        return 0;
    }
    text first = print_module(m);
    if (are_all_kernels_legal(m)) {
        ptx_module *again = ptx_parse(first.s, first.len, &err);
        if (!again) {
            fprintf(stderr, "the printed module does not parse: %s\n", err.text);
            abort();
        }
        text second = print_module(again);
        if (first.len != second.len || memcmp(first.s, second.s, first.len) != 0) {
            fprintf(stderr, "the printed and parsed module prints differently\n");
            abort();
        }
        free(second.s);
        ptx_free(again);
    }
    free(first.s);
    ptx_free(m);
    return 0;
}

#ifdef FUZZ_MAIN

enum { MAX_FILES = 256, MAX_INPUT = 1 << 16 };

FUZZ_STATE;

/* Replace CUT bytes at offset AT in a text of LEN bytes by N bytes of WITH. Returns the new
 * length. */
static size_t splice(char *to, size_t len, size_t at, size_t cut, const char *with, size_t n)
{
    if (at > len || cut > len - at || len - cut + n > MAX_INPUT)
        return len;
    memmove(to + at + n, to + at + cut, len - at - cut);
    memcpy(to + at, with, n);
    return len - cut + n;
}

/* Make one change that keeps the text similar to PTX: it affects words, lines and digits, not only
 * bits. */
static size_t damage_text(char *to, size_t len, const text *other)
{
    static const char *const words[] = {
        "{",       "}",
        "[",       "]",
        "(",       ")",
        ";",       ",",
        ":",       "|",
        "!",       "@",
        "+",       "-",
        "_",       "%",
        "<",       ">",
        "0f",      "0d0",
        "0x",      "99999999999999999999",
        "-1",      "1e999",
        "WARP_SZ", ".reg",
        ".b8",     ".v4",
        ".f16",    ".pred",
        ".param",  ".loc",
        ".align",  ".global",
        "generic", "/*",
        "\"",      "\n",
        "\0",      "\xff",
        "<<",      "?",
        "~",       ".section",
        ".func",   ".entry",
        "bra",     "call",
        "mov.b64", "mma.sync",
        ".alias",
    };
    size_t at = fuzz_random_below(len + 1), n = 1 + fuzz_random_below(8);
    char byte = (char)fuzz_random();
    switch (fuzz_random() % 8) {
    case 0: /* change a byte */
        return len ? splice(to, len, fuzz_random_below(len), 1, &byte, 1) : len;
    case 1: { /* insert a word */
        const char *w = words[fuzz_random_below(sizeof words / sizeof *words)];
        return splice(to, len, at, 0, w, *w ? strlen(w) : 1);
    }
    case 2: /* remove some bytes */ return splice(to, len, at, len - at < n ? len - at : n, "", 0);
    case 3: /* truncate */ return at;
    case 4: { /* insert a piece of another text */
        size_t from = fuzz_random_below(other->len), piece = fuzz_random_below(200);
        piece = other->len - from < piece ? other->len - from : piece;
        return splice(to, len, at, 0, other->s + from, piece);
    }
    case 5: { /* replace a line by one of another text */
        size_t from = fuzz_random_below(other->len), end = from, cut = at;
        while (from && other->s[from - 1] != '\n')
            from--;
        while (end < other->len && other->s[end] != '\n')
            end++;
        while (at && to[at - 1] != '\n')
            at--;
        while (cut < len && to[cut] != '\n')
            cut++;
        return splice(to, len, at, cut - at, other->s + from, end - from);
    }
    case 6: { /* repeat a piece */
        char piece[256];
        size_t m = len - at < sizeof piece ? len - at : sizeof piece;
        memcpy(piece, to + at, m);
        return splice(to, len, at, 0, piece, m);
    }
    default: /* change a digit */
        while (at < len && !(to[at] >= '0' && to[at] <= '9'))
            at++;
        if (at < len)
            to[at] = (char)('0' + fuzz_random() % 10);
        return len;
    }
}

static text read_file(const char *path)
{
    text t = {malloc(MAX_INPUT), 0};
    FILE *f = fopen(path, "rb");
    if (!f || !t.s) {
        perror(path);
        exit(2);
    }
    t.len = fread(t.s, 1, MAX_INPUT, f);
    fclose(f);
    return t;
}

int main(int argc, char **argv)
{
    static char input[MAX_INPUT];
    static text file[MAX_FILES];
    size_t files = 0;
    if (argc < 4 || argc - 3 > MAX_FILES) {
        fprintf(stderr, "usage: fuzz_ptx COUNT SEED FILE...\n");
        return 2;
    }
    const long count = fuzz_count(argc, argv, 0);
    for (int i = 3; i < argc; i++) {
        file[files] = read_file(argv[i]);
        LLVMFuzzerTestOneInput((const uint8_t *)file[files].s, file[files].len);
        files++;
    }
    for (long i = 0; i < count; i++) {
        const text *base = &file[fuzz_random_below(files)];
        size_t input_len = base->len;
        memcpy(input, base->s, base->len);
        for (size_t k = 1 + fuzz_random_below(6); k; k--)
            input_len = damage_text(input, input_len, &file[fuzz_random_below(files)]);
        LLVMFuzzerTestOneInput((const uint8_t *)input, input_len);
    }
    for (size_t i = 0; i < files; i++)
        free(file[i].s);
    printf("fuzz_ptx: %ld inputs from %zu texts, seed %s\n", count, files, argv[2]);
    return 0;
}

#endif
