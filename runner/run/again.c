/* Runs a lab again on the emulator after its run on a GPU: the emulator provides all counters. */
#include "attempt_state.h"

#include <unistd.h>

/* Whether the emulator has to count what the run on the GPU did not. */
static bool emulator_has_to_count(const attempt *a)
{
    return a->options.gpu && a->run_end == JOB_EXITED && a->run_code == 0 &&
           !a->no_emulator_reason && needs_counters(a->c, a->record, a->counters);
}

const char *attempt_recorded_seed(attempt *a)
{
    for (size_t row = 0; a->record && row < a->record->rows; row++) {
        const char *seed = table_get(a->record, row, "n");
        if (table_is(a->record, row, "kind", "seed") && seed)
            return arena_printf(&a->h->memory, "WARPBOOK_SEED=%s", seed);
    }
    return NULL;
}

step_end rebuild_for_emulator(attempt *a)
{
    char err[512];
    a->counters = attempt_take_result(a, COUNTERS);
    a->record = attempt_take_result(a, RECORD);
    if (!emulator_has_to_count(a))
        return STEP_NEXT;
    if (!installation_emulator_library(a->h)) {
        a->no_emulator_reason = "the emulator, which counts everything, is not built: run `make`";
        return STEP_NEXT;
    }
    if (build_is_current(a->h, &a->counted, &a->nvcc))
        return STEP_NEXT;
    if (build_start(a->h, &a->counted, &a->nvcc, &a->g, err, sizeof err))
        return STEP_RUNS;
    a->no_emulator_reason = arena_strdup(&a->v.memory, err);
    return STEP_NEXT;
}

step_end finish_emulator_build(attempt *a)
{
    char err[512] = "";
    int code;
    job_end how = stage_outcome(&a->g, &code);
    bool ok = build_finish(a->h, &a->counted, &a->g, err, sizeof err);
    if (how == JOB_CANCELLED)
        attempt_give_up(a, VERDICT_CANCELLED, "you cancelled it");
    else if (!ok)
        a->no_emulator_reason = "it does not compile for the emulator, which counts everything";
    return STEP_NEXT;
}

step_end start_emulator_run(attempt *a)
{
    if (!emulator_has_to_count(a))
        return STEP_NEXT;
    const char *env[7], *seed = attempt_recorded_seed(a);
    size_t n = 0;
    env[n++] = emulator_library_path(a->h);
    env[n++] = attempt_result_variable(a, "WARPBOOK_COUNTERS", EMULATED);
    env[n++] = attempt_result_variable(a, "WARPBOOK_LINES", LINES);
    env[n++] = attempt_result_variable(a, "WARPBOOK_REPORTS", REPORTS);
    env[n++] = attempt_result_variable(a, "WARPBOOK_RECORD", OTHER_RECORD);
    env[n++] = seed;
    env[n] = NULL;
    return attempt_start_program(a, &a->g, &a->counted, env);
}

/* A goal may depend on the size, which is another on the emulator: the goals of that run are judged
 * by its counters. They become rows `emulated` of the record. */
static void append_goals_of_emulator(attempt *a)
{
    sb rows = {0};
    OWNED_TABLE table *t = table_read(attempt_unfinished_path(a, OTHER_RECORD));
    for (size_t i = 0; t && i < t->rows; i++)
        if (table_is(t, i, "kind", "goal"))
            table_append_row(&rows, t, i, (const char *const[]){"kind", "emulated", NULL});
    OWNED char *text = sb_take(&rows);
    attempt_append_to_record(a, text);
}

step_end finish_emulator_run(attempt *a)
{
    int code;
    job_end how = stage_outcome(&a->g, &code);
    attempt_fetch_files(a, 1u << EMULATED | 1u << LINES | 1u << REPORTS | 1u << OTHER_RECORD);
    if (how == JOB_CANCELLED) {
        attempt_give_up(a, VERDICT_CANCELLED, "you cancelled it");
    } else if (how != JOB_EXITED || code != 0) {
        /* Counters of an incomplete run must not be judged as if they were complete. */
        unlink(attempt_unfinished_path(a, EMULATED));
        unlink(attempt_unfinished_path(a, LINES));
        a->no_emulator_reason =
            how == JOB_TIMEOUT
                ? "it did not end in time on the emulator, which counts everything "
                  "(--timeout gives it longer)"
                : "it failed on the emulator, which counts everything: see `check --device "
                  "emulator`";
    } else {
        append_goals_of_emulator(a);
    }
    return STEP_NEXT;
}
