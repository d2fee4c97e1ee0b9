/* Mistakes of a run in formats that CI and editors read (exec --report=FORMAT FILE). */
#pragma once

#include "../judge/findings.h"

typedef enum ci_format {
    CI_JUNIT,  /* test cases in XML, one for each mistake */
    CI_SARIF,  /* SARIF 2.1.0 */
    CI_GITHUB, /* annotation lines of GitHub Actions */
    CI_FORMAT_COUNT
} ci_format;

/* The format called NAME; CI_FORMAT_COUNT: none is. */
ci_format ci_format_by_name(const char *name);

/* Write what was FOUND in a run of PROGRAM, which ended with CODE, to FILE; "-": to standard
 * output. False: a message was printed. */
bool ci_report_write(ci_format format, const char *file, const char *program, int code,
                     const findings *found);
