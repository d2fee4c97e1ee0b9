/* The command `page`: a run as one HTML file. The data of a page is one JSON object
 * (docs/FORMATS.md); each part is made by a function below. All functions return new references. */
#pragma once

#include "../base/json.h"
#include "../judge/desk.h"
#include "../walk/recorded_run.h"

enum {
    PAGE_MAX_MOMENTS = 1500,   /* instructions of the warp that are stored, if not said otherwise */
    PAGE_WALK_BYTES = 3 << 20, /* bytes of the moments of a run, at most */
    PAGE_MAX_REPORTS = 6,      /* reports that are stored with their moments */
    PAGE_MAX_ROWS = 1000,      /* rows of a table, at most */
    PAGE_LANES = 32
};

/* What of a run is stored; a negative number, or 0 moments: chosen by the page. */
typedef struct page_choice {
    long long launch, block,
        warp;             /* numbers: of the launch, of the block in it, of the warp in the block */
    bool has_block_index; /* the block was given as x,y,z */
    long long block_index[3];
    long long moments;  /* instructions of the warp */
    long long launches; /* only this many launches are repeated; negative: all */
} page_choice;

typedef struct page_options {
    const char *output; /* file to write */
    const char *source; /* the text of source files of this name; NULL: where the run says */
    const char *name;   /* what the page calls the run; NULL: the page chooses */
    const char *beside; /* `solution`, or a second run to show next to the first; or NULL */
    run_choice run;     /* the run */
    page_choice choice;
    bool json; /* write the data alone */
} page_options;

int cli_page(session *d);
/* The options on the command line ARGV. Negative: go on; else the exit code, after a message. */
int page_options_read(page_options *o, char **argv);

/* The mistakes that a page's replays look for. */
#define PAGE_SANITIZE "WARPBOOK_SANITIZE=memory,race,init,sync"

/* The command line that repeats a recording, as far as it is chosen. */
typedef struct replay_command {
    const char *argv[5];
} replay_command;

replay_command page_replay_command(installation *h, const char *recording,
                                   const page_choice *choice);

/* What the page leaves out, a sentence. */
void page_note_omission(json_t *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a replay of the recording has shown. */
typedef struct page_findings {
    long long busiest;     /* the launch that was asked for, or the one that takes longest */
    long long block, warp; /* those that work longest in it */
    double excess;     /* how many times as long as the warps do on average; 1: all equally long */
    bool has_mistakes; /* a mistake was reported, or the program found a wrong value */
} page_findings;

/* Replay the recording for its tables, and add to RUN: launches, kernels, code, margin, counters,
 * timeline, heat, why, roofline. False: a message was printed. */
bool page_add_tables(installation *h, json_t *run, const char *recording, const page_choice *choice,
                     page_findings *found);
/* Walk through the recording, and add to RUN: reports and walk. False: a message was printed. */
bool page_add_walk(installation *h, json_t *run, const char *recording, const page_choice *choice,
                   const page_findings *found);
/* Add the roofs of the device and each kernel's point under them. */
void page_add_roofline(json_t *run, double memory_gbs, double most_gflops);
/* Add the text of the source files that lines and moments of RUN name; of those with the name of
 * the file GIVEN, if that is not NULL, its text. */
void page_add_sources(json_t *run, const char *given);
/* Leave the folders of its source files out of RUN, as a page passed on need not tell where they
 * lie. */
void page_shorten_paths(json_t *run);
/* Name the arrays of RUN's heat maps as its sources do. */
void page_name_arrays(json_t *run);

/* Write DATA as a page, or alone. False: a message was printed. */
bool page_write_file(const char *path, const json_t *data, bool json);
