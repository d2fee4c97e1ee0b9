/* Records a timeline: which operation ran when in which stream, as rows `span` of the record. */
#ifndef WARPBOOK_LAB_TIMELINE_H
#define WARPBOOK_LAB_TIMELINE_H

#include "lab_base.h"

/* Implements LAB_TIMELINE: runs the body once. The emulator, or a tracer on a GPU, appends the
 * operations that ran to the table WARPBOOK_TIMELINE (op stream kind name start_ns end_ns); the
 * rows that were added while the body ran become spans. Does nothing without that table or a
 * record, or after a failed check. */
struct lab_timeline_run {
    lab_timeline_run(void) : path(getenv("WARPBOOK_TIMELINE")), from(0), begun(false) {}

    bool more(void) // the body runs once more
    {
        lab_state &run = lab_run();
        if (begun) {
            CUDA_CHECK(cudaDeviceSynchronize());
            record_new_rows();
            return false;
        }
        if (!path || !*path || !run.record || run.only_check || run.failures > 0 || run.device_lost)
            return false;
        CUDA_CHECK(cudaDeviceSynchronize());
        FILE *table = fopen(path, "r");
        if (table) {
            fseek(table, 0, SEEK_END);
            from = ftell(table);
            fclose(table);
        }
        begun = true;
        return true;
    }

  private:
    const char *path; /* path of the table of operations, WARPBOOK_TIMELINE */
    long from; /* size of that file, in bytes, before the body ran */
    bool begun; /* the body is running, or has run */

    /* The name of a span: the kernel's name, or the direction of a copy. */
    static const char *span_name(const char *kind, const char *name)
    {
        return strcmp(kind, "copy_h2d") == 0   ? "to device"
               : strcmp(kind, "copy_d2h") == 0 ? "to host"
               : strcmp(name, "-") != 0        ? name
                                               : kind;
    }

    void record_new_rows(void) // write the new operations to the lab's record
    {
        FILE *table = fopen(path, "r");
        char line[1024], stream[32], kind[32], name[256];
        double start, end;
        if (!table)
            return;
        fseek(table, from, SEEK_SET);
        while (fgets(line, sizeof line, table)) {
            if (sscanf(line, "%*[^\t]\t%31[^\t]\t%31[^\t]\t%255[^\t]\t%lf\t%lf", stream, kind, name,
                       &start, &end) != 5 ||
                !(end > start))
                continue; /* the header row, or an operation without duration */
            char at[32], numbers[64];
            snprintf(at, sizeof at, "%.0f", start);
            snprintf(numbers, sizeof numbers, "-\t%.6g\t-", (end - start) / 1e6);
            lab_append_row("span", span_name(kind, name), stream, at, numbers, "-", "-");
        }
        fclose(table);
    }
};

#endif
