/* Runs a lab again on the emulator after its run on a GPU: the emulator provides all counters. */
#include "attempt_state.h"

#include <string.h>
#include <unistd.h>

static void start_emulator_run(attempt *a)
{
    arena *m = &a->h->memory;
    const char *env[10], *seed = NULL;
    size_t n = 0;
    for (size_t row = 0; a->record && row < a->record->rows && !seed; row++) {
        const char *kind = table_get(a->record, row, "kind");
        seed = kind && strcmp(kind, "seed") == 0 ? table_get(a->record, row, "n") : NULL;
    }
    env[n++] = emulator_library_path(a->h);
    env[n++] = attempt_result_variable(a, "WARPBOOK_COUNTERS", EMULATED);
    env[n++] = attempt_result_variable(a, "WARPBOOK_LINES", LINES);
    env[n++] = attempt_result_variable(a, "WARPBOOK_REPORTS", REPORTS);
    env[n++] = "WARPBOOK_RECORD"; /* unset this variable: the file of checks and times from the GPU
                                     must not change */
    if (seed)
        env[n++] = arena_printf(m, "WARPBOOK_SEED=%s", seed);
    env[n] = NULL;
    if (attempt_start_program(a, &a->g, &a->counted, env))
        a->phase = ATTEMPT_EMULATING;
}

void rerun_on_emulator(attempt *a)
{
    char err[512];
    if (!installation_emulator_library(a->h)) {
        a->no_emulator_reason = "the emulator, which counts everything, is not built: run `make`";
        attempt_decide_verdict(a);
        return;
    }
    if (build_is_current(a->h, &a->counted, &a->nvcc)) {
        start_emulator_run(a);
        return;
    }
    a->phase = ATTEMPT_REBUILDING;
    if (!build_start(a->h, &a->counted, &a->nvcc, &a->g, err, sizeof err)) {
        a->no_emulator_reason = arena_strdup(&a->v.memory, err);
        attempt_decide_verdict(a);
    }
}

void finish_emulator_build(attempt *a)
{
    char err[512] = "";
    int code;
    job_end how = stage_outcome(&a->g, &code);
    bool ok = build_finish(a->h, &a->counted, &a->g, err, sizeof err);
    stage_free(&a->g);
    if (how == JOB_CANCELLED) {
        attempt_give_up(a, VERDICT_CANCELLED, "you cancelled it");
    } else if (ok) {
        start_emulator_run(a);
    } else {
        a->no_emulator_reason = "it does not compile for the emulator, which counts everything";
        attempt_decide_verdict(a);
    }
}

void finish_emulator_run(attempt *a)
{
    int code;
    job_end how = stage_outcome(&a->g, &code);
    attempt_fetch_files(a, 1u << EMULATED | 1u << LINES | 1u << REPORTS);
    stage_free(&a->g);
    if (how == JOB_CANCELLED) {
        attempt_give_up(a, VERDICT_CANCELLED, "you cancelled it");
        return;
    }
    if (how != JOB_EXITED || code != 0) {
        /* Counters of an incomplete run must not be judged as if they were complete. */
        unlink(attempt_unfinished_path(a, EMULATED));
        unlink(attempt_unfinished_path(a, LINES));
        a->no_emulator_reason =
            how == JOB_TIMEOUT
                ? "it did not end in time on the emulator, which counts everything "
                  "(--timeout gives it longer)"
                : "it failed on the emulator, which counts everything: see `check --device "
                  "emulator`";
    }
    attempt_decide_verdict(a);
}
