/* Any bytes as a file that the runner reads: a table of a run, a rubric, CSV and roster of a class,
 * the state. Reading must neither crash nor read past the end, and a refusal has a sentence; a
 * state that cannot be used is kept aside, and can be written anew.
 *
 * With clang -fsanitize=fuzzer this is a libFuzzer target: the first byte chooses the reader. Built
 * with FUZZ_MAIN it runs alone: fuzz_tables [COUNT [SEED]] tries COUNT (default 8000) inputs made
 * from a seed. */
#include "fuzz.h"
#include "runner/base/files.h"
#include "runner/base/table.h"
#include "runner/book/rubric.h"
#include "runner/class/csv.h"
#include "runner/class/roster.h"
#include "runner/judge/state.h"

#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum reader { TABLE, RUBRIC, CSV, STATE, ROSTER, READERS };

static void require_true(bool holds)
{
    if (!holds)
        abort();
}

static void read_table(const char *text)
{
    double number;
    table *t = table_parse(text);
    require_true(t != NULL);
    for (size_t row = 0; row < t->rows; row++) {
        for (size_t c = 0; c < t->columns; c++) {
            table_get(t, row, t->header[c]);
            table_number(t, row, t->header[c], &number);
        }
    }
    table_free(t);
}

static void read_rubric(const char *text)
{
    arena memory = {0};
    char err[256] = "";
    rubric *r = rubric_parse(text, &memory, err, sizeof err);
    require_true(r || *err);
    double sum = r ? r->not_shown : 0;
    for (size_t i = 0; r && i < r->count; i++) {
        require_true(r->rows[i].name && r->rows[i].sentence && r->rows[i].points > 0);
        sum += r->rows[i].points;
    }
    require_true(!r || (sum > RUBRIC_POINTS - 0.01 && sum < RUBRIC_POINTS + 0.01));
    arena_free(&memory);
}

static void read_csv(const char *text)
{
    csv_table t = {0};
    char err[256] = "";
    if (csv_parse(&t, text, err, sizeof err)) {
        require_true(t.rows <= CSV_MAX_ROWS);
        for (size_t row = 0; row < t.rows; row++) {
            require_true(t.row[row].count <= CSV_MAX_COLUMNS);
            for (size_t c = 0; c < t.row[row].count; c++)
                require_true(csv_field(&t, row, (int)c) != NULL);
        }
    } else {
        require_true(*err);
    }
    csv_free(&t);
}

static void empty_directory(const char *dir)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] != '.' || strlen(e->d_name) > 2) {
            char *path = xprintf("%s/%s", dir, e->d_name);
            unlink(path);
            free(path);
        }
    }
    if (d)
        closedir(d);
}

/* A directory for files, made once. */
static char *scratch_directory(void)
{
    static char dir[] = "fuzz-files-XXXXXX";
    static bool made;
    if (!made) {
        require_true(mkdtemp(dir) != NULL);
        made = true;
    }
    return dir;
}

static void read_roster(const char *bytes, size_t size)
{
    char *dir = scratch_directory(), *path = xprintf("%s/roster.csv", dir);
    char err[256] = "", words[32];
    roster r = {0};
    require_true(write_whole_file(path, bytes, size));
    if (roster_read(&r, path, err, sizeof err)) {
        for (size_t i = 0; i < r.count; i++) {
            const roster_person *p = &r.people[i];
            require_true(p->student && *p->student && p->name && p->first && p->last && p->email);
            time_to_text(p->submitted, words);
            roster_find_by_name(&r, p->name);
        }
        roster_find_by_name(&r, "Ada Lovelace_17_assignsubmission_file_");
        roster_find_by_name(&r, "lovelaceada_17_99_lab.cu");
    } else {
        require_true(*err);
    }
    roster_free(&r);
    free(path);
    empty_directory(dir);
}

static void read_state(const char *bytes, size_t size)
{
    char *dir = scratch_directory();
    char *path = xprintf("%s/state.json", dir);
    require_true(write_whole_file(path, bytes, size));
    installation h = {.root = ".", .state = dir};
    chapter c = {.name = "01-one"};
    prediction p = {.kernel = "k", .metric = "m"};
    saved_state s;
    double said = 0;
    state_open(&s, &h);
    state_progress(&s, &c);
    state_ever_passed(&s, &c);
    state_last_reason(&s, &c);
    state_shown_hint_count(&s, &c, 1);
    state_get_prediction(&s, &c, &p, &said);
    state_chosen_device(&s);
    state_set_prediction(&s, &c, &p, 4);
    require_true(state_get_prediction(&s, &c, &p, &said) && said == 4);
    state_close(&s);
    state_open(&s, &h);
    require_true(state_get_prediction(&s, &c, &p, &said) && said == 4);
    free(state_take_warning(&s));
    state_close(&s);
    free(path);
    empty_directory(dir);
    arena_free(&h.memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    /* An allocation of the exact size, so that a sanitizer detects overruns. */
    char *text = malloc(size);
    if (!text)
        return 0;
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    switch (data[0] % READERS) {
    case TABLE: read_table(text); break;
    case RUBRIC: read_rubric(text); break;
    case CSV: read_csv(text); break;
    case ROSTER: read_roster(text, size - 1); break;
    default: read_state(text, size - 1);
    }
    free(text);
    return 0;
}

#ifdef FUZZ_MAIN

FUZZ_STATE;

static const char *const valid_texts[READERS] = {
    [TABLE] =
        "lab\tkind\tname\tn\tvalue\n01\tcheck\tscale\t17\t-\n01\tmeasure\tscale\t1024\t3.5e2\n",
    [RUBRIC] = "points\tkind\tname\tmetric\trelation\tlimit\tsentence\n"
               "40\tcheck\tsums\t-\tequal\t20\tright at all sizes\n"
               "30\tgoal\tsums\tload_sectors_per_request\tat_most\t4\tnone is wasted\n"
               "20\tbandwidth\tsums\tpercent\tat_least\t20..95\tas fast as a copy\n"
               "10\tratio\tsums\tcub\tat_least\t100\tas fast as a library\n",
    [CSV] = "\xef\xbb\xbfstudent,name,email\r\n\"a, b\",\"say \"\"x\"\"\",a@b\nc;d,e,\n",
    [ROSTER] = "id,first name,last name,email,folder,submitted\n"
               "s1,Ada,Lovelace,ada@example.org,in/ada,2026-11-20 23:59\n"
               "s2,Grace,Hopper,grace@example.org,,2026-11-21T08:00:30+02:00\n",
    [STATE] = "{\"version\":1,\"device\":\"auto\",\"chapters\":{\"01-one\":{\"result\":\"fail\","
              "\"reason\":\"r\",\"hints\":{\"1\":2},\"predictions\":{\"k/m\":3.5}}}}",
};

static const char tokens[] = "\t\n\r\",;.-{}[]:0e9n\x1b\x80\xff\x00";

static void put_token(uint8_t *bytes, size_t n, size_t at)
{
    (void)n;
    bytes[at] = (uint8_t)tokens[fuzz_random_below(sizeof tokens - 1)];
}

int main(int argc, char **argv)
{
    const long count = fuzz_count(argc, argv, 8000);
    static uint8_t bytes[4096];
    for (long i = 0; i < count; i++) {
        /* The roster and the state need files, which is slow: one input in sixteen each. */
        const enum reader r = i % 8 ? (enum reader)(i % STATE) : i % 16 ? ROSTER : STATE;
        const size_t n = strlen(valid_texts[r]);
        bytes[0] = (uint8_t)r;
        memcpy(bytes + 1, valid_texts[r], n);
        LLVMFuzzerTestOneInput(bytes, 1 + fuzz_damage(bytes + 1, n, put_token));
    }
    printf("fuzz_tables: %ld inputs\n", count);
    return 0;
}

#endif
