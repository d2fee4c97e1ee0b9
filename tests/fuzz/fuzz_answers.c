/* Any bytes as an answer of the replayer, a process that may run code of a submission: reading it
 * must neither crash nor read past the end, and its text must hold no control character.
 *
 * With clang -fsanitize=fuzzer this is a libFuzzer target. Built with FUZZ_MAIN it runs alone:
 * fuzz_answers [COUNT [SEED]] tries COUNT (default 4000) inputs made from a seed. */
#include "fuzz.h"
#include "runner/step/answer.h"

#include <stdlib.h>
#include <string.h>

#define READ(type, read)       \
    do {                       \
        type x = {0};          \
        read(&x, a.object);    \
        arena_free(&x.memory); \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* An allocation of the exact size, so that a sanitizer detects overruns. */
    char *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    replayer_answer a = answer_parse(copy, size, false);
    char *text = answer_text(&a);
    for (const char *c = text; *c; c++)
        if (((unsigned char)*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7F)
            abort();
    if (a.kind == ANSWER_REFUSED && !*text)
        abort();
    free(text);
    READ(step_position, position_read);
    READ(step_lanes, lanes_read);
    READ(step_values, values_read);
    READ(step_warps, warps_read);
    READ(step_shared_memory, shared_memory_read);
    READ(step_request, request_read);
    READ(step_listing, source_read);
    READ(step_listing, ptx_read);
    READ(step_reports, reports_read);
    READ(step_report_moments, report_moments_read);
    answer_free(&a);
    free(copy);
    return 0;
}

#ifdef FUZZ_MAIN

FUZZ_STATE;

static const char *const samples[] = {
    "{\"ok\":true,\"answer\":\"where\",\"state\":\"stopped\",\"reason\":\"start\",\"launch\":0,"
    "\"kernel\":\"sum\",\"count\":137,\"block\":[1,0,0],\"warp\":0,\"mask\":\"ffffffff\",\"ptx\":"
    "\"ld;\",\"ptx_line\":27,\"path\":\"/a.cu\",\"line\":5,\"source\":\" int t;\",\"fault\":\"f\","
    "\"wrote\":{\"place\":\"%r1\",\"lanes\":\"00000001\",\"value\":\"7\",\"by\":\"b\"},\"wrong\":"
    "\"w\"}",
    "{\"ok\":true,\"answer\":\"lanes\",\"warp\":0,\"groups\":[{\"lanes\":\"0000ff0f\",\"state\":"
    "\"active\",\"pc\":23,\"ptx_line\":9,\"ptx\":\"ld\"},{\"lanes\":\"f\",\"state\":\"exited\"}]}",
    "{\"ok\":true,\"answer\":\"registers\",\"registers\":[{\"name\":\"%r2\",\"type\":\"s32\","
    "\"values\":[\"0\",\"1\",null,\"2\"]},{\"name\":\"%p\",\"values\":[\"1\",\"1\"]}]}",
    "{\"ok\":true,\"answer\":\"variables\",\"variables\":[{\"name\":\"t\",\"type\":\"int\","
    "\"values\":[\"0\",\"0\",null]}]}",
    "{\"ok\":true,\"answer\":\"warps\",\"block\":[1,0,0],\"warps\":[{\"warp\":0,\"state\":"
    "\"running\",\"lanes\":\"ffffffff\",\"pc\":23,\"path\":\"/a.cu\",\"line\":9}]}",
    "{\"ok\":true,\"answer\":\"shared\",\"bytes\":256,\"type\":\"f32\",\"rows\":[{\"offset\":0,"
    "\"values\":[\"1\",\"2\"]}],\"variables\":[{\"name\":\"tile\",\"offset\":0,\"bytes\":256}]}",
    "{\"ok\":true,\"answer\":\"global\",\"address\":\"0x70\",\"type\":\"u32\",\"place\":\"out\","
    "\"values\":[\"0\",\"1\"]}",
    "{\"ok\":true,\"answer\":\"request\",\"space\":\"shared\",\"effect\":\"write\",\"bytes\":4,"
    "\"lanes\":\"00000007\",\"addresses\":[\"0x0\",\"0x4\",\"0x9\",null],\"path\":\"/a.cu\","
    "\"line\":6,\"ptx\":\"st\",\"memory\":\"tile\",\"begins\":\"0x0\",\"passes\":1,\"ideal\":1}",
    "{\"ok\":true,\"answer\":\"request\",\"space\":\"global\",\"effect\":\"read\",\"bytes\":8,"
    "\"lanes\":\"0000000f\",\"addresses\":[\"0x0\",\"0x8\",\"0x99\",\"0x400\"],\"ptx_line\":6,"
    "\"arrays\":[{\"lanes\":\"00000003\",\"memory\":\"in\",\"begins\":\"0x0\"},{\"lanes\":"
    "\"00000004\",\"memory\":\"out\",\"begins\":\"0x90\"}],\"sectors\":2,\"ideal\":1}",
    "{\"ok\":true,\"answer\":\"source\",\"path\":\"/a.cu\",\"lines\":[{\"line\":5,"
    "\"text\":\"\\tint t;\",\"current\":true}]}",
    "{\"ok\":true,\"answer\":\"ptx\",\"function\":\"sum\",\"insns\":[{\"pc\":22,"
    "\"text\":\"bra $L27;\",\"path\":\"/a.cu\",\"line\":9}]}",
    "{\"ok\":true,\"answer\":\"reports\",\"reports\":[{\"number\":1,\"launch\":0,\"count\":155,"
    "\"kind\":\"race\",\"text\":\"one\\ntwo\"}]}",
    "{\"ok\":true,\"answer\":\"report\",\"number\":1,\"kind\":\"race\",\"text\":\"one\\ntwo\","
    "\"place\":\"tile\",\"missing\":\"__syncthreads()\",\"fix\":\"f\",\"sides\":[{\"who\":\"thread "
    "0\",\"did\":\"read\",\"launch\":0,\"count\":161,\"warp\":0,\"mask\":\"1\",\"source\":\"a long "
    "line of the source that is broken at a blank\",\"ptx\":\"ld\"},{\"who\":\"thread 32\",\"did\":"
    "\"wrote\",\"path\":\"/a.cu\",\"line\":9}]}",
    "{\"ok\":true,\"answer\":\"choices\",\"choices\":[{\"launch\":0,\"count\":36,\"warp\":1}]}",
    "{\"ok\":true,\"answer\":\"launches\",\"launches\":[{\"launch\":0,\"kernel\":\"sum\","
    "\"instructions\":240},{\"launch\":1,\"kernel\":\"k\"}]}",
    "{\"ok\":true,\"answer\":\"snapshots\",\"count\":12,\"most\":32,\"bytes\":52428800,\"limit\":"
    "1073741824,\"thinned\":3}",
    "{\"ok\":true,\"answer\":\"help\",\"text\":\"one\\ntwo\"}",
    "{\"ok\":false,\"error\":\"no \\u001b[2J\"}",
};

/* Tokens that break JSON, or give a field another type or size. */
static void put_token(uint8_t *bytes, size_t n, size_t at)
{
    static const char *const tokens[] = {"\"",         "{}",   "[]",      "null",   "-1",
                                         ",",          ":",    "\\u",     "\xff",   "0",
                                         "9999999999", "\x1b", "\\u009b", "\\u202e"};
    const char *token = tokens[fuzz_random_below(sizeof tokens / sizeof *tokens)];
    const size_t length = strlen(token);
    memcpy(bytes + at, token, length < n - at ? length : n - at);
}

static size_t make_answer(uint8_t *bytes)
{
    const char *sample = samples[fuzz_random_below(sizeof samples / sizeof *samples)];
    memcpy(bytes, sample, strlen(sample));
    return strlen(sample);
}

int main(int argc, char **argv)
{
    static uint8_t bytes[8192];
    return fuzz_files(argc, argv, "fuzz_answers", bytes, make_answer, put_token);
}

#endif
