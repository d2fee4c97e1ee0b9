/* Checks a recording in one pass over its records, with a model of the device: which memory is
 * allocated, which modules are loaded, which operations have run. */
#include "check_recording.h"

#include "../../base/list.h"
#include "../../cudart/streams/op.h"
#include "../../memory/image.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_HOST_MEMORY_USED \
    (UINT64_C(256) << 30) /* bytes of host memory that kernels may use at once */
#define MAX_ADDRESS_SPAN \
    (UINT64_C(1)         \
     << 40) /* most bytes between the lowest and highest address in a recording from a GPU */
#define MIN_HOST_ADDRESS UINT64_C(0x1000)
#define MAX_HOST_ADDRESS (UINT64_C(1) << 47)
#define MAX_PARAM_BYTES \
    (UINT64_C(1) << 15) /* most bytes of a launch's parameters; the PTX ISA allows 32764 */
#define MAX_MODULES (UINT64_C(1) << 20)

typedef struct allocated_range {
    uint64_t base, size; /* address of the first byte; bytes */
    bool device;         /* device memory; false: host memory that kernels may use */
} allocated_range;

/* A set of non-zero numbers: a hash table with open addressing. */
typedef struct operation_set {
    uint64_t *of; /* [mask + 1] slots of the table, each with a number; 0: the slot is empty */
    uint64_t count, mask; /* numbers in the set; size of the table - 1 */
} operation_set;

typedef struct checker {
    rec_start start;       /* the first record of the file */
    bool gpu;              /* the run was recorded on a GPU */
    allocated_range *live; /* [count] live allocations, sorted by base */
    size_t count;
    uint64_t adopted;    /* total bytes of host memory that kernels may use */
    bool *module;        /* [modules + 1] true: the module is loaded */
    uint64_t modules;    /* number of modules so far */
    uint64_t places;     /* number of records `place` so far */
    operation_set begun; /* numbers of the operations that have begun */
    operation_set timed; /* numbers of the operations with a record `timed` */
    uint64_t open;       /* number of records `timed` since the last `settle` */
    char *why;           /* buffer for the error message */
    size_t why_cap;      /* size of `why` */
} checker;

__attribute__((format(printf, 2, 3))) static bool set_error(checker *c, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(c->why, c->why_cap, format, ap);
    va_end(ap);
    return false;
}

/* --- numbers ---------------------------------------------------------------------------------- */

/* The slot of the hash table OF that holds NUMBER, or the empty slot for it. */
static uint64_t *find_set_slot(uint64_t *of, uint64_t mask, uint64_t number)
{
    uint64_t k = (number * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & mask;
    while (of[k] && of[k] != number)
        k = (k + 1) & mask;
    return &of[k];
}

static bool set_has_number(const operation_set *s, uint64_t number)
{
    return number && s->of && *find_set_slot(s->of, s->mask, number);
}

/* Add NUMBER to set S. It is an error if the set already contains NUMBER. */
static bool add_operation(checker *c, operation_set *s, uint64_t number)
{
    if (!number || set_has_number(s, number))
        return set_error(c, "two operations have the number %llu", (unsigned long long)number);
    if (!s->of || 2 * s->count >= s->mask) {
        const uint64_t mask = s->of ? 2 * s->mask + 1 : 1023;
        uint64_t *more = calloc(mask + 1, sizeof *more);
        if (!more)
            return set_error(c, "the host is out of memory");
        for (uint64_t k = 0; s->of && k <= s->mask; k++)
            if (s->of[k])
                *find_set_slot(more, mask, s->of[k]) = s->of[k];
        free(s->of);
        s->of = more;
        s->mask = mask;
    }
    *find_set_slot(s->of, s->mask, number) = number;
    s->count++;
    return true;
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Index in c->live of the first range that begins after ADDRESS. */
static size_t first_range_above(const checker *c, uint64_t address)
{
    size_t low = 0, high = c->count;
    while (low < high) {
        const size_t mid = (low + high) / 2;
        if (c->live[mid].base <= address)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Add an allocation to c->live. It is an error if it overlaps another one. */
static bool insert_range(checker *c, uint64_t base, uint64_t size, bool device)
{
    const size_t at = first_range_above(c, base);
    if ((at && c->live[at - 1].base + c->live[at - 1].size > base) ||
        (at < c->count && base + size > c->live[at].base))
        return set_error(c, "memory at 0x%llx is allocated twice", (unsigned long long)base);
    allocated_range *r = LIST_INSERT(c->live, c->count, at);
    if (!r)
        return set_error(c, "the host is out of memory");
    *r = (allocated_range){base, size, device};
    return true;
}

static bool is_within_device_memory(const checker *c, uint64_t address, uint64_t size)
{
    const uint64_t at = address - c->start.base;
    return at < c->start.size && size <= c->start.size - at;
}

/* Whether the range can be mapped in this process without overlapping the device's memory. */
static bool is_outside_device(const checker *c, uint64_t address, uint64_t size)
{
    return size <= MAX_HOST_MEMORY_USED && address >= MIN_HOST_ADDRESS &&
           address <= MAX_HOST_ADDRESS - size &&
           !(address < c->start.base + c->start.size && c->start.base < address + size);
}

/* Check the record of an allocation of device memory, and note the allocation. */
static bool check_alloc_record(checker *c, const rec_alloc *x)
{
    /* A GPU packs the variables of a module closely, so alignment is not required. */
    const bool packed = c->gpu && (x->kind == MEM_MODULE || x->kind == MEM_CONSTANT);
    const bool aligned = packed || x->address % 256 == 0;
    if (x->kind > MEM_ARRAY || !x->size || !aligned ||
        !(is_within_device_memory(c, x->address, x->size) ||
          (c->gpu && is_outside_device(c, x->address, x->size)))) {
        return set_error(c, "memory at 0x%llx does not fit into the device's memory",
                         (unsigned long long)x->address);
    }
    return insert_range(c, x->address, x->size, true);
}

/* Check the record of host memory that kernels may use, and note the memory. */
static bool check_adopt_record(checker *c, const rec_adopt *x)
{
    c->adopted += x->size;
    if ((x->kind != MEM_PINNED && x->kind != MEM_REGISTERED && x->kind != MEM_MANAGED) ||
        !x->size || c->adopted > MAX_HOST_MEMORY_USED ||
        !(is_outside_device(c, x->address, x->size) ||
          (c->gpu && is_within_device_memory(c, x->address, x->size)))) {
        return set_error(c,
                         "host memory at 0x%llx overlaps the device's memory or cannot be mapped",
                         (unsigned long long)x->address);
    }
    return insert_range(c, x->address, x->size, false);
}

static bool check_free_record(checker *c, uint64_t address)
{
    const size_t at = first_range_above(c, address);
    if (!at || c->live[at - 1].base != address) { /* NOLINT: at <= count */
        return set_error(c, "memory at 0x%llx is freed but is not allocated",
                         (unsigned long long)address);
    }
    c->adopted -= c->live[at - 1].device ? 0 : c->live[at - 1].size;
    memmove(c->live + at - 1, c->live + at, (c->count - at) * sizeof *c->live);
    c->count--;
    return true;
}

static bool check_inside_allocation(checker *c, uint64_t address, uint64_t size)
{
    const size_t at = first_range_above(c, address);
    const allocated_range *s = at ? &c->live[at - 1] : NULL;
    if (!s || address - s->base >= s->size || size > s->size - (address - s->base)) {
        return set_error(c, "%llu bytes at 0x%llx are not in one allocation",
                         (unsigned long long)size, (unsigned long long)address);
    }
    return true;
}

/* Whether SIZE bytes at ADDRESS may be the source or destination of a copy. A copy by a kernel
 * (NODE) may use the heap of device malloc(), which the recording does not contain; such an address
 * is checked when the copy runs. */
static bool check_reachable_from_host(checker *c, uint64_t address, uint64_t size, bool node)
{
    const uint64_t at = address - c->start.base;
    return (node && at < c->start.size && size <= c->start.size - at) ||
           check_inside_allocation(c, address, size);
}

/* --- checks of copies and fills --------------------------------------------------------------- */

/* Store in *BYTES the distance from the first to the last byte of a box of rows; returns false if
 * it is too large. */
static bool bytes_spanned_by_box(const rec_list side, const rec_list extent, uint64_t *bytes)
{
    uint64_t rows, slices;
    return side.count == 3 && extent.count == 3 && extent.of[0] && extent.of[1] && extent.of[2] &&
           !__builtin_mul_overflow(extent.of[1] - 1, side.of[1], &rows) &&
           !__builtin_mul_overflow(extent.of[2] - 1, side.of[2], &slices) &&
           !__builtin_add_overflow(rows, slices, bytes) &&
           !__builtin_add_overflow(*bytes, extent.of[0], bytes);
}

/* Store the bytes of a box of rows in *BYTES. Returns false if they are too many. */
static bool bytes_of_box(const rec_list extent, uint64_t *bytes)
{
    return !__builtin_mul_overflow(extent.of[0], extent.of[1], bytes) &&
           !__builtin_mul_overflow(*bytes, extent.of[2], bytes) && *bytes <= REC_MAX_DATA_BYTES;
}

static bool check_copy_record(checker *c, const rec_copy *x)
{
    uint64_t to, from, bytes;
    if (!bytes_spanned_by_box(x->to, x->extent, &to) ||
        !bytes_spanned_by_box(x->from, x->extent, &from) || !bytes_of_box(x->extent, &bytes) ||
        x->way < RT_COPY_H2D || x->way > RT_COPY_H2H || x->timing > COPY_H2H || x->host_from > 1 ||
        x->host_to > 1 || x->bytes.size != (x->host_from ? bytes : 0))
        return set_error(c, "copy %llu has an impossible size", (unsigned long long)x->op);
    return (x->host_from || check_reachable_from_host(c, x->from.of[0], from, x->node)) &&
           (x->host_to || check_reachable_from_host(c, x->to.of[0], to, x->node)) &&
           add_operation(c, &c->begun, x->op);
}

static bool check_fill_record(checker *c, const rec_fill *x)
{
    uint64_t to, bytes;
    if (!bytes_spanned_by_box(x->to, x->extent, &to) || !bytes_of_box(x->extent, &bytes) ||
        (x->unit != 1 && x->unit != 2 && x->unit != 4) || x->to.of[0] % x->unit ||
        x->extent.of[0] % x->unit || (x->extent.of[1] > 1 && x->to.of[1] % x->unit))
        return set_error(c, "fill %llu has an impossible size", (unsigned long long)x->op);
    return check_reachable_from_host(c, x->to.of[0], to, x->node) &&
           add_operation(c, &c->begun, x->op);
}

/* --- checks of launches and modules ----------------------------------------------------------- */

static bool are_three_dimensions(const rec_list l)
{
    return l.count == 3 && l.of[0] <= UINT32_MAX && l.of[1] <= UINT32_MAX && l.of[2] <= UINT32_MAX;
}

static bool is_module_loaded(const checker *c, uint64_t id)
{
    return id && id <= c->modules && c->module[id];
}

static bool check_launch_record(checker *c, const rec_launch *x)
{
    if (!is_module_loaded(c, x->module) || !are_three_dimensions(x->grid) ||
        !are_three_dimensions(x->block) || !are_three_dimensions(x->cluster) ||
        x->shared > UINT32_MAX || x->depth > UINT32_MAX || x->params.size > MAX_PARAM_BYTES) {
        return set_error(c, "launch %llu has an invalid size, module or parameters",
                         (unsigned long long)x->number);
    }
    return add_operation(c, &c->begun, x->op);
}

static bool check_module_record(checker *c, const rec_module *x)
{
    bool *more = realloc(c->module, (x->id < MAX_MODULES ? x->id + 1 : 1) * sizeof *more);
    if (!more || x->id != c->modules + 1 || x->id >= MAX_MODULES || x->options.count != 4 ||
        !x->ptx.size || !are_three_dimensions((rec_list){3, x->options.of}) ||
        x->options.of[3] > UINT32_MAX) {
        c->module = more ? more : c->module;
        return set_error(c, "module %llu has an invalid number or invalid data",
                         (unsigned long long)x->id);
    }
    c->module = more;
    c->module[x->id] = true;
    c->modules = x->id;
    return true;
}

static bool check_unload_record(checker *c, uint64_t id)
{
    if (!is_module_loaded(c, id))
        return set_error(c, "module %llu is unloaded but is not loaded", (unsigned long long)id);
    c->module[id] = false;
    return true;
}

/* --- textures --------------------------------------------------------------------------------- */

/* Lengths of the lists of a record `texture`. */
enum {
    IMAGE_FIELDS = 11,  /* elements of the list `image` */
    LEVEL_FIELDS = 6,   /* elements of the list `levels` for each mipmap level */
    SAMPLER_FIELDS = 17 /* elements of the list `sampler` */
};

/* Check mipmap level L of a texture object in BYTES bytes at BASE; TEXEL: bytes of a texel. */
static bool check_mipmap_level(const uint64_t *l, uint64_t base, uint64_t bytes, uint64_t texel)
{
    uint64_t end;
    const uint64_t side[] = {0, l[4], l[5]};
    const uint64_t extent[] = {l[1] * texel, l[2], l[3]};
    return l[0] >= base && l[0] - base < bytes && l[1] && l[1] <= UINT32_MAX / 16 && l[2] &&
           l[2] <= UINT32_MAX && l[3] && l[3] <= UINT32_MAX &&
           bytes_spanned_by_box((rec_list){3, side}, (rec_list){3, extent}, &end) &&
           end <= bytes - (l[0] - base);
}

static bool check_texture_record(checker *c, const rec_texture *x)
{
    const uint64_t *i = x->image.of, *s = x->sampler.of;
    bool good = x->handle && x->image.count == IMAGE_FIELDS && x->sampler.count == SAMPLER_FIELDS &&
                (i[0] == MEM_TEXTURE || i[0] == MEM_SURFACE) && i[1] <= MEM_IMAGE_ARRAY &&
                i[2] <= MEM_SNORM && (i[3] == 8 || i[3] == 16 || i[3] == 32) &&
                (i[4] == 1 || i[4] == 2 || i[4] == 4) && i[5] && i[5] <= 3 && i[8] &&
                i[8] <= MEM_MAX_LEVELS && x->levels.count == i[8] * LEVEL_FIELDS;
    for (int k = 0; good && k < 3; k++)
        good = s[k] <= MEM_BORDER;
    for (uint64_t k = 0; good && k < i[8]; k++)
        good = check_mipmap_level(x->levels.of + k * LEVEL_FIELDS, i[9], i[10], i[3] / 8 * i[4]);
    return good ? check_inside_allocation(c, i[9], i[10])
                : set_error(c, "texture 0x%llx has invalid fields", (unsigned long long)x->handle);
}

/* --- times ------------------------------------------------------------------------------------ */

/* Check the record of an operation's place in the order: it may depend only on earlier ones. */
static bool check_timed_record(checker *c, const rec_timed *x)
{
    bool good = x->kind <= RT_HOST_WAIT && (!x->since || set_has_number(&c->timed, x->since));
    for (uint32_t k = 0; good && k < x->after.count; k++)
        good = set_has_number(&c->timed, x->after.of[k]);
    c->open++;
    return good ? add_operation(c, &c->timed, x->op)
                : set_error(c, "operation %llu depends on a later one", (unsigned long long)x->op);
}

/* Check the record that ends a list of records `timed`: it states their number. */
static bool check_settle_record(checker *c, const rec_settle *x)
{
    const bool good = x->count == c->open;
    c->open = 0;
    return good || set_error(c, "the timeline states a wrong number of operations");
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Whether TEXT may stand in a report: at most MOST bytes, no control characters. */
static bool is_name(const char *text, size_t most)
{
    size_t n = 0;
    while (n <= most && (unsigned char)text[n] >= ' ' && text[n] != 127)
        n++;
    return n <= most && !text[n];
}

static bool check_place_record(checker *c, const rec_place *x)
{
    return (++c->places <= REC_MAX_PLACES && is_name(x->call, 100) && is_name(x->file, 255) &&
            !strchr(x->file, '/') && is_name(x->function, 1000) && x->line <= INT32_MAX &&
            x->column <= INT32_MAX && !x->line == !x->file[0]) ||
           set_error(c, "place %llu in host code has an impossible name or line",
                     (unsigned long long)c->places);
}

static bool check_record_of_any_kind(checker *c, const rec_item *i)
{
    switch (i->kind) {
    case REC_alloc: return check_alloc_record(c, &i->alloc);
    case REC_adopt: return check_adopt_record(c, &i->adopt);
    case REC_fresh: return check_inside_allocation(c, i->fresh.address, i->fresh.size);
    case REC_array:
        return !i->array.count ||
               (i->array.element <= UINT64_MAX / i->array.count &&
                check_inside_allocation(c, i->array.address, i->array.element * i->array.count));
    case REC_wrong: return check_inside_allocation(c, i->wrong.address, 1);
    case REC_free: return check_free_record(c, i->free.address);
    case REC_module: return check_module_record(c, &i->module);
    case REC_unload: return check_unload_record(c, i->unload.id);
    case REC_texture: return check_texture_record(c, &i->texture);
    case REC_pages: return check_inside_allocation(c, i->pages.address, i->pages.bytes.size);
    case REC_poke: return check_inside_allocation(c, i->poke.address, i->poke.bytes.size);
    case REC_launch: return check_launch_record(c, &i->launch);
    case REC_copy: return check_copy_record(c, &i->copy);
    case REC_fill: return check_fill_record(c, &i->fill);
    case REC_write:
        return (i->write.bytes == 4 || i->write.bytes == 8)
                   ? check_inside_allocation(c, i->write.address, i->write.bytes) &&
                         add_operation(c, &c->begun, i->write.op)
                   : set_error(c, "a stream writes a value of %llu bytes, not 4 or 8",
                               (unsigned long long)i->write.bytes);
    case REC_host: return add_operation(c, &c->begun, i->host.op);
    case REC_result:
        return set_has_number(&c->begun, i->result.op) ||
               set_error(c, "a result belongs to an operation that has not begun");
    case REC_memory:
        return i->memory.ranges.count % 2 == 0 ||
               set_error(c, "a digest of memory contents lacks its address");
    case REC_nested:
        return set_has_number(&c->begun, i->nested.op) ||
               set_error(c, "a record `nested` belongs to a launch that has not begun");
    case REC_timed: return check_timed_record(c, &i->timed);
    case REC_settle: return check_settle_record(c, &i->settle);
    case REC_waited:
        return set_has_number(&c->timed, i->waited.op) ||
               set_error(c, "the host waits for an operation that has not begun");
    case REC_place: return check_place_record(c, &i->place);
    case REC_call:
        return i->call.place <= c->places ||
               set_error(c, "a call comes from place %llu, which is not there",
                         (unsigned long long)i->call.place);
    default: return true;
    }
}

bool check_recorded_on_gpu(const rec_start *x)
{
    return !strcmp(x->source, "gpu");
}

/* The part of one tebibyte of addresses that a recording uses. */
typedef struct tebibyte_use {
    uint64_t first, end; /* range of used addresses; END 0: the tebibyte is unused */
    uint64_t bytes;      /* bytes of device memory in this part */
} tebibyte_use;
enum { ADDRESS_TEBIBYTES = MAX_HOST_ADDRESS / MAX_ADDRESS_SPAN }; /* tebibytes of address space */

/* Note in PART that the recording uses SIZE bytes at ADDRESS. */
static void add_used_range(tebibyte_use *part, uint64_t address, uint64_t size, bool device)
{
    if (address < MAX_HOST_ADDRESS && size <= MAX_HOST_ADDRESS - address) {
        tebibyte_use *p = &part[address / MAX_ADDRESS_SPAN];
        p->first = p->end && p->first < address ? p->first : address;
        p->end = address + size > p->end ? address + size : p->end;
        p->bytes += device ? size : 0;
    }
}

/* Extend A by the part of B's addresses that lies within a tebibyte of A. */
static void join_used_ranges(tebibyte_use *a, const tebibyte_use *b)
{
    const uint64_t first = b->first < a->first ? b->first : a->first;
    const uint64_t end = b->end > a->end ? b->end : a->end;
    if (b->end && end - first <= MAX_ADDRESS_SPAN) {
        a->first = first;
        a->end = end;
    }
}

void find_address_span(rec_reader *r, uint64_t *base, uint64_t *size)
{
    static tebibyte_use part[ADDRESS_TEBIBYTES];
    memset(part, 0, sizeof part);
    rec_set_position(r, (rec_position){0});
    for (const rec_item *i; (i = rec_next_item(r));)
        if (i->kind == REC_alloc)
            add_used_range(part, i->alloc.address, i->alloc.size, true);
        else if (i->kind == REC_adopt)
            add_used_range(part, i->adopt.address, i->adopt.size, false);
    size_t most = 0;
    for (size_t k = 1; k < ADDRESS_TEBIBYTES; k++)
        most = part[k].bytes > part[most].bytes ? k : most;
    tebibyte_use all = part[most];
    if (most)
        join_used_ranges(&all, &part[most - 1]);
    if (most + 1 < ADDRESS_TEBIBYTES)
        join_used_ranges(&all, &part[most + 1]);
    *base = all.bytes ? all.first : 0;
    *size = all.bytes ? all.end - all.first : 0;
    rec_set_position(r, (rec_position){0});
}

/* Check the first record X, and find the addresses of the device's memory. */
static bool check_start_record(checker *c, rec_reader *r, const rec_start *x)
{
    c->start = *x;
    c->gpu = check_recorded_on_gpu(x);
    if (c->gpu) {
        const rec_position after = rec_read_position(r);
        find_address_span(r, &c->start.base, &c->start.size);
        rec_set_position(r, after);
    }
    const uint64_t base = c->start.base, size = c->start.size;
    return (base + size >= base && (c->gpu ? size <= MAX_ADDRESS_SPAN : size > 0) &&
            base + size <= MAX_HOST_ADDRESS) ||
           set_error(c, "the device's memory has an impossible address or size");
}

bool check_recording(rec_reader *r, char *why, size_t cap)
{
    checker c = {.why = why, .why_cap = cap};
    bool good = true;
    rec_set_position(r, (rec_position){0});
    for (const rec_item *i; good && (i = rec_next_item(r));)
        if (i->kind == REC_start)
            good = check_start_record(&c, r, &i->start);
        else
            good = check_record_of_any_kind(&c, i);
    rec_set_position(r, (rec_position){0});
    free(c.live);
    free(c.module);
    free(c.begun.of);
    free(c.timed.of);
    return good;
}
