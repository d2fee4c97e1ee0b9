/* Requests to memory as WARPBOOK_ACCESSES tells of them, and which banks and sectors they take. */
#ifndef WARPBOOK_ACCESS_H
#define WARPBOOK_ACCESS_H

#include "../base/table.h"

enum { LANES = 32, BANKS = 32, WORD_BYTES = 4, SECTOR_BYTES = 32, LINE_BYTES = 128 };

typedef enum access_space { SPACE_SHARED, SPACE_GLOBAL, SPACE_CONST, SPACE_OTHER } access_space;

/* A shape of an instruction: the first of its requests, and the sums of all. */
typedef struct request {
    const char *kernel, *file, *path, *op, *effect, *of_block;
    const char *memory; /* "argument 2", "coef"; "": not known */
    access_space space;
    int line, shape;
    double launch, insn;
    unsigned bytes, lanes, served, warp, cost;
    double size;     /* bytes of the memory block; 0: not known */
    double requests; /* number of requests of this shape */
    double all_requests,
        all_cost; /* requests and cost of the whole instruction: see CONTRIBUTING.md, "Accesses" */
    double all_ideal, all_conflicts, all_used;
    bool on[LANES];
    long long at[LANES]; /* byte offset of each active lane's access in the memory block */
    size_t alike; /* number of instructions of the line that do the same, including this one */
} request;

typedef struct requests {
    arena memory;
    request *list;
    size_t count;
} requests;

/* Read a table; false where there is none, or it is another table. */
bool requests_read(requests *r, const char *path);
void requests_free(requests *r);

/* Which requests are meant: LINE of the source, or, if it is 0, all lines of a kernel. */
typedef struct access_choice {
    const char *kernel; /* name of the kernel; NULL: the one that spends most on the line */
    int line;
    double launch; /* number of the launch; negative: the kernel's launch with the most requests */
    const char *only; /* an effect ("read", "write", "update") or a space ("shared", "global",
                       * "const"); NULL: all */
} access_choice;

/* The requests of the line, for each instruction the shape on which most is spent; instructions
 * that do the same are one. An array in A, in the order of the code. */
request *requests_of(const requests *r, arena *a, const access_choice *c, size_t *count);
/* The numbers of the lines of FILE that access memory, in order, each once: an array in A. */
int *requests_lines(const requests *r, arena *a, const char *file, size_t *count);
/* The launch of KERNEL with the most requests; negative: there is none. */
double requests_launch(const requests *r, const char *kernel);

/* --- how the hardware serves a request ---------------------------------------------------------
 */

/* A word of 4 bytes that lanes access. */
typedef struct word_use {
    long long word; /* number of the word: byte offset / 4 */
    int lane;       /* first lane that accesses the word */
    int lanes;
    int group; /* shared memory: number of the group of lanes that are served together, from 0 */
} word_use;

/* All words, each once in a group, by group and number. USES has room for LANES * 8 of them. */
size_t request_words(const request *r, word_use *uses);
enum { MOST_WORDS = LANES * 8 };

/* Passes over shared memory, for the lanes of each group the most that a bank has to serve: words,
 * or, of atomics, lanes. LOAD[bank] gets what the bank serves in all groups. */
unsigned request_passes(const request *r, unsigned load[BANKS]);
/* 32-byte sectors that the lanes touch, and bytes that they use, each counted once. */
unsigned request_sectors(const request *r, unsigned *used);
/* The number of distinct addresses of the request. */
unsigned request_addresses(const request *r);

/* A lane as one character: 0 to 9, a to v. */
char lane_letter(int lane);

#endif
