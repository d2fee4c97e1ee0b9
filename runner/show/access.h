/* Reads the table of memory requests that the emulator writes with WARPBOOK_ACCESSES, and computes
 * which banks and sectors a request uses. */
#pragma once

#include "../base/table.h"

enum {
    LANES = 32,        /* number of lanes of a warp */
    BANKS = 32,        /* number of banks of shared memory */
    WORD_BYTES = 4,    /* width of a bank in bytes */
    SECTOR_BYTES = 32, /* bytes of a sector of a cache line */
    LINE_BYTES = 128   /* bytes of a cache line */
};

/* The memory space of an access. */
typedef enum access_space {
    SPACE_SHARED, /* the access is to shared memory */
    SPACE_GLOBAL, /* the access is to global memory */
    SPACE_CONST,  /* the access is to constant memory */
    SPACE_OTHER   /* local memory and all others */
} access_space;

/* The space that NAME is of, in a table or an answer of the debugger. */
access_space memory_space_of_name(const char *name);

/* One access pattern ("shape") of a memory instruction: its first request, and the sums over all
 * requests of this pattern. */
typedef struct memory_request {
    const char *kernel;      /* name of the kernel */
    const char *file, *path; /* name of the source file, and its path ("": unknown) */
    const char *op;          /* PTX instruction, such as "ld.global.f32" */
    const char *effect;      /* "read", "write" or "update" */
    const char *of_block;    /* index of the thread block of the first request, as "0,0,0" */
    const char *memory;  /* array that is accessed: a kernel argument ("argument 2") or a variable
                            ("coef", "tile"); "": unknown */
    access_space space;  /* memory space that is accessed */
    int line, shape;     /* source line; number of the access pattern of the instruction, from 1 */
    double launch, insn; /* number of the launch; number of the instruction in the kernel */
    unsigned bytes, lanes; /* bytes per lane; number of active lanes */
    unsigned served;       /* number of lanes that shared memory serves at the same time */
    unsigned warp;         /* number of the warp in its block */
    unsigned cost;         /* of a request: 32-byte sectors (global), passes (shared) or addresses
                              (constant) */
    long long begins;      /* shared memory: offset of the array in the block's; else 0 */
    double size;           /* size of the array in bytes; 0: unknown */
    double requests;       /* number of requests with this access pattern */
    double all_requests, all_cost; /* all requests of the instruction; sum of their costs */
    double all_ideal, all_conflicts, all_used; /* of all requests of the instruction: lowest
                                                  possible cost, bank conflicts, bytes used */
    bool on[LANES];                            /* for each lane: it makes the access */
    long long at[LANES]; /* byte offset of each active lane's access in the array */
    size_t alike;        /* instructions of the line with the same pattern, this one included */
} memory_request;

typedef struct requests {
    arena memory;
    memory_request *list; /* [count] access patterns, in the order of the table */
    size_t count;         /* number of entries of `list` */
} requests;

/* Read the table in the file PATH; false: no such file, or another kind of table. */
bool requests_read(requests *r, const char *path);
void requests_free(requests *r);

/* Selects requests: those of source line LINE, or of all lines of a kernel if LINE is 0. */
typedef struct access_choice {
    const char *kernel; /* name of the kernel; NULL: the kernel with the highest cost at the line */
    int line;
    double launch;    /* number of the launch; negative: the launch of the kernel with the most
                         requests, or else the one with the most selected ones */
    const char *only; /* an effect ("read", "write", "update") or a space ("shared", "global",
                       * "const"); NULL: all */
} access_choice;

/* The selected requests, as an array in A in code order: for each instruction its most expensive
 * shape. Instructions with the same access pattern are merged. */
memory_request *select_requests(const requests *r, arena *a, const access_choice *c, size_t *count);
/* The lines of FILE that access memory, sorted, without duplicates, as an array in A. */
int *lines_with_requests(const requests *r, arena *a, const char *file, size_t *count);
/* The launch of KERNEL with the most requests; negative: KERNEL has no launch. */
double largest_launch_of(const requests *r, const char *kernel);

/* --- how the hardware serves a request -------------------------------------------------------- */

/* A 4-byte word of memory that lanes of one request access. */
typedef struct word_use {
    long long word; /* index of the word: byte offset / 4, in shared memory of the block's */
    int lane;       /* first lane that accesses the word */
    int lanes;      /* number of lanes that use the word */
    int group; /* shared memory: number of the group of lanes that are served together, from 0 */
} word_use;

/* List the words that a request accesses, each once per group, sorted by group and word. USES has
 * room for LANES * 8 words. */
size_t request_words(const memory_request *r, word_use *uses);
enum { MAX_REQUEST_WORDS = LANES * 8 }; /* words that a request can access, at most */

/* The number of passes over shared memory: the sum over all groups of the highest load of a bank
 * (words; for atomics, lanes). LOAD[bank] gets the bank's load over all groups. */
unsigned request_passes(const memory_request *r, unsigned load[BANKS]);
/* The number of 32-byte sectors that the lanes touch; *USED gets the bytes used. Each sector and
 * byte counts once. */
unsigned request_sectors(const memory_request *r, unsigned *used);
/* The number of distinct addresses of the request. */
unsigned request_addresses(const memory_request *r);

/* The lane number as one character: 0 to 9, a to v. */
char lane_letter(int lane);
