/* How learning systems name what students handed in. Moodle's and Canvas's names follow from their
 * sources (mod/assign/classes/downloader.php, lib/content_zipper.rb); Gradescope's export has a
 * list of its folders, submission_metadata.yml. */
#pragma once

#include "../base/text.h"

#include <stdint.h>

/* The student in the first N bytes of NAME, a folder or a file, in A. Names that no system made are
 * returned unchanged.
 * Moodle: NAME_ID_assignsubmission_file gives NAME_ID.
 * Canvas: NAME_LATE_ID_FILE_lab.cu gives NAME_ID, LATE_anon_CODE_FILE_lab.cu gives anon_CODE.
 * Blackboard: LAB_LOGIN_attempt_TIME gives LOGIN. */
const char *student_in_export_name(arena *a, const char *name, size_t n);

/* The time in a Blackboard name, such as attempt_2026-11-20-10-11-12; 0: the name has none. */
int64_t time_in_export_name(const char *name);

/* A person who handed in a folder of a Gradescope export; a group has several. */
typedef struct gradescope_person {
    const char *folder, *name; /* name of the submitted folder, and of the person; "": unknown */
    const char *sid, *email;   /* student number and email address; "": unknown */
    int64_t created;           /* when the folder was handed in, seconds since 1970; 0: not known */
} gradescope_person;

typedef struct gradescope_list {
    gradescope_person *people; /* [count] the people who handed in something */
    size_t count;              /* number of people */
} gradescope_list;

/* Read the text of a submission_metadata.yml, whose results and histories are omitted. In A. */
gradescope_list gradescope_read(arena *a, const char *text);
