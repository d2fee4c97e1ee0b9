/* Any bytes as the file of WARPBOOK_REPORTS: findings_parse must neither crash nor read past the
 * end, must keep at most FINDINGS_MAX_COUNT findings, and must return no control characters.
 *
 * With clang -fsanitize=fuzzer this is a libFuzzer target. Built with FUZZ_MAIN it runs alone:
 * fuzz_findings [COUNT [SEED]] tries COUNT (default 4000) inputs made from a seed. */
#include "fuzz.h"
#include "runner/judge/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_no_control_chars(const char *text)
{
    for (; text && *text; text++)
        if (((unsigned char)*text < 0x20 && *text != '\n') || *text == 0x7F)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    arena memory = {0};
    /* An allocation of the exact size, so that a sanitizer detects overruns. */
    char *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    const findings f = findings_parse(&memory, copy, size, size % 2);
    if (f.count > FINDINGS_MAX_COUNT)
        abort();
    for (size_t i = 0; i < f.count; i++) {
        const finding *r = &f.rows[i];
        if (!r->kind || !r->text || r->at.line < 0 || r->other.line < 0 || !r->times)
            abort();
        check_no_control_chars(r->kind);
        check_no_control_chars(r->text);
        check_no_control_chars(r->kernel);
        check_no_control_chars(r->sentence);
        check_no_control_chars(r->at.file);
        check_no_control_chars(r->other.who);
    }
    check_no_control_chars(f.damage);
    arena_free(&memory);
    free(copy);
    return 0;
}

#ifdef FUZZ_MAIN

FUZZ_STATE;

static const char *const sample_lines[] = {
    "{\"kind\":\"race\",\"kernel\":\"k\",\"file\":\"lab.cu\",\"line\":9,\"path\":\"/x/lab.cu\","
    "\"who\":\"thread 3\",\"did\":\"read\",\"other\":{\"file\":\"lab.cu\",\"line\":8,\"who\":"
    "\"thread 8\",\"did\":\"wrote\"},\"missing\":\"__syncthreads()\",\"offset\":32,\"block\":"
    "[0,0,0],\"sentence\":\"s\",\"text\":\"race on shared memory: s\"}\n",
    "{\"kind\":\"fault\",\"fault\":\"address\",\"line\":41,\"function\":\"f\",\"thread\":[1,2,3],"
    "\"address\":\"0x7f00aa\",\"bytes\":4,\"text\":\"one\\ntwo \\u00e9\"}\n",
    "{\"kind\":\"message\",\"text\":\"\xc3\xa9 \\ud83d\\ude00\"}\n",
    "[[[[[[[[[[]]]]]]]]]]\n",
};

/* Tokens that are most likely to break JSON in the wrong place. */
static const char tokens[] = "{}[]\",:\\\n\t \x1b\x80\xff\x00"
                             "0u";

static void put_token(uint8_t *bytes, size_t n, size_t at)
{
    (void)n;
    bytes[at] = (uint8_t)tokens[fuzz_random_below(sizeof tokens - 1)];
}

static size_t make_report_file(uint8_t *bytes)
{
    size_t n = 0;
    for (unsigned parts = 1 + fuzz_random() % 6; parts; parts--) {
        const char *line =
            sample_lines[fuzz_random_below(sizeof sample_lines / sizeof *sample_lines)];
        memcpy(bytes + n, line, strlen(line));
        n += strlen(line);
    }
    return n;
}

int main(int argc, char **argv)
{
    static uint8_t bytes[8192];
    return fuzz_files(argc, argv, "fuzz_findings", bytes, make_report_file, put_token);
}

#endif
