/* The modelled clock of an SM: which cycles of its units are reserved, and the contents of TLBs and
 * of the caches behind L1. Private to clock/. */
#pragma once

#include "../core/code.h"
#include "../core/machine_step.h"

/* Execution units of a warp scheduler, and its issue slot. */
typedef enum {
    CLOCK_UNIT_ISSUE,        /* the issue slot */
    CLOCK_UNIT_ALU,          /* integer and logic unit */
    CLOCK_UNIT_FMA,          /* fused multiply-add unit */
    CLOCK_UNIT_INT_MULTIPLY, /* integer multiplier */
    CLOCK_UNIT_FP64,         /* double-precision unit */
    CLOCK_UNIT_SPECIAL,      /* special functions: sqrt, sin, ... */
    CLOCK_UNIT_TENSOR,       /* tensor cores */
    CLOCK_UNITS              /* number of units */
} clock_scheduler_unit;

enum {
    CALENDAR_WORDS = 256,      /* 64-bit words of a calendar */
    MAX_LINES_IN_FLIGHT = 256, /* maximum number of lines that are being loaded into L1 at once */
    MAX_SCHEDULERS = 8,        /* maximum number of warp schedulers of an SM */
    MAX_CONSTANT_LINES = 2048, /* lines of constant memory remembered as loaded before */
};

/* A calendar of reserved cycles, one bit per cycle. Only the most recent CALENDAR_WORDS words are
 * kept; older cycles count as free. */
typedef struct cycle_calendar {
    struct {
        uint64_t number; /* the word stands for the 64 cycles from cycle number * 64 on */
        uint64_t taken;  /* a bit for each of these cycles: 1 if it is reserved */
    } word[CALENDAR_WORDS];
} cycle_calendar;

/* A set that remembers about the last `max_keys` keys used. */
typedef struct recent_set {
    uint64_t
        *key[2]; /* [cap] two hash tables, of recently used keys and of older ones; 0: empty slot */
    uint64_t count, cap, max_keys; /* number of young keys; slots of each table; maximum number of
                                       keys that are remembered */
} recent_set;

/* An earlier round of turns of a block whose warps are all in loops that poll a clock (pass.c). */
typedef struct clock_rounds {
    uint64_t block; /* linear index of the block */
    uint64_t count; /* rounds since the first that could be kept; 0: none is kept */
    uint64_t pause; /* no rounds are skipped before so many have been executed */
    struct {
        const sm_insn *pc;  /* instruction at which the warp had stopped */
        uint64_t now, read; /* its clock, and what the loop had read last */
    } warp[SM_LANES];
} clock_rounds;

typedef struct code_cache code_cache;

struct sm_clock {
    const sm_grid *grid;                              /* the launched grid */
    cycle_calendar unit[MAX_SCHEDULERS][CLOCK_UNITS]; /* reserved cycles of each execution unit */
    cycle_calendar l1_path; /* cycles in which the path to L1 and shared memory is reserved */
    struct {
        uint64_t line;                      /* number of the 128-byte line */
        uint64_t until;                     /* cycle at which the line arrives in L1 */
    } lines_in_flight[MAX_LINES_IN_FLIGHT]; /* lines being loaded into L1, indexed by line number */
    recent_set lines;                       /* lines that L2 holds */
    recent_set pages;                       /* pages that the TLB holds */
    recent_set constants; /* lines of constant memory that the SM has loaded before */
    code_cache *code;     /* instruction caches; NULL: the first level holds all of the code */
    uint64_t *ends; /* [places] cycle at which the block in each slot for a resident block ends */
    uint32_t places, begun; /* maximum number of resident blocks; number of blocks begun so far */
    uint64_t last_start;    /* cycle at which the last block began */
    uint64_t dispatcher;    /* cycle from which the device can give this SM another block */
    clock_rounds rounds;
    uint64_t phase_start; /* cycle at which the warps of the running block began, or passed their
                         last   barrier */
};

/* The cycle at which the launch of grid G began. */
uint64_t clock_launch_start_cycle(const sm_grid *g);
/* The first free cycle of C from AT on. */
uint64_t clock_calendar_next_free(const cycle_calendar *c, uint64_t at);
/* Reserve COUNT cycles of C from the first cycle, AT or later, from which COUNT cycles in a row are
 * free. If COUNT exceeds 64, only the first 64 must be free. Returns the first reserved cycle. */
uint64_t clock_calendar_reserve(cycle_calendar *c, uint64_t at, uint32_t count);
/* Is KEY in set R? KEY becomes the most recently used key of R. */
bool clock_recent_set_add(recent_set *r, uint64_t key);

/* Machine instructions in a 128-byte line of code. */
#define INSNS_PER_CODE_LINE (128 / SM_MACHINE_INSN_BYTES)
/* Create the instruction caches for the code of U, filled as if the code had run before; NULL: the
 * host is out of memory. Defined in code_cache.c. */
code_cache *clock_code_cache_new(const sm_unit *u, const sm_cycles *y);
void clock_code_cache_reset(code_cache *c, const sm_cycles *y);
/* Fetch code line N (128 bytes). Returns the cache that held the line: 0 or 1, an instruction
 * cache, or 2, L2. *UNTIL points to the cycle at which the fetch is done, which the caller sets. */
uint32_t clock_code_cache_fetch(code_cache *c, uint32_t n, uint64_t **until);

/* The cycle from which every unit can read register REG of warp W. Defined in warp_clock.c. */
uint64_t clock_reg_ready_cycle(const sm_warp *w, uint32_t reg);
/* Register REG of warp W is ready CYCLES cycles later. Defined in warp_clock.c. */
void clock_delay_reg(const sm_warp *w, uint32_t reg, uint64_t cycles);
/* Cycles until LINE, which is not in L1, is loaded. Marks LINE as used. */
uint32_t clock_l1_miss_latency(sm_warp *w, uint64_t line);

static inline uint64_t later_cycle(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
