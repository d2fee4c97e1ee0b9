/* Functions that device code calls and that the device itself provides: vprintf, __assertfail,
 * malloc, free (CUDA C++ Programming Guide, "Formatted Output", "Assertion", "Dynamic Global Memory
 * Allocation"). */
#include "syscalls.h"
#include "../observe/observe.h"
#include "fault.h"
#include "heap.h"
#include "output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t sm_read_call_argument(const uint8_t *window, const sm_call_operand *a, uint32_t lane)
{
    uint64_t v = 0;
    if (a->words) {
        const uint32_t *word = (const uint32_t *)(window + a->slot) + lane;
        v = a->bytes > 4 ? word[0] | (uint64_t)word[SM_LANES] << 32 : word[0];
    } else {
        memcpy(&v, window + a->slot + (size_t)lane * a->bytes, a->bytes < 8 ? a->bytes : 8);
    }
    return v;
}

void sm_write_call_argument(uint8_t *window, const sm_call_operand *a, uint32_t lane, uint64_t v)
{
    if (a->words) {
        uint32_t *word = (uint32_t *)(window + a->slot) + lane;
        word[0] = (uint32_t)v;
        if (a->bytes > 4)
            word[SM_LANES] = (uint32_t)(v >> 32);
    } else {
        memcpy(window + a->slot + (size_t)lane * a->bytes, &v, a->bytes < 8 ? a->bytes : 8);
    }
}

static void set_call_result(sm_warp *w, const sm_call *c, uint32_t lane, uint64_t v)
{
    if (c->ret_count)
        sm_write_call_argument(w->r, &c->ret[0], lane, v);
}

/* Copy the string at device address ADDRESS to TO, up to its NUL or the end of its memory. */
static bool read_string(const sm_warp *w, uint32_t lane, uint64_t address, FILE *to)
{
    const char *p;
    for (uint64_t k = 0; (p = sm_host_pointer_of_generic(w, lane, address + k, 1)); k++) {
        if (!*p)
            return true;
        fputc(*p, to);
    }
    return false;
}

static char *copy_device_string(const sm_warp *w, uint32_t lane, uint64_t address)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return NULL;
    const bool good = read_string(w, lane, address, to);
    fclose(to);
    if (!good) {
        free(text);
        return NULL;
    }
    return text;
}

/* --- printf ----------------------------------------------------------------------------------- */

typedef struct printf_arguments {
    const sm_warp *w;
    uint32_t lane;     /* lane that calls printf */
    uint64_t base, at; /* address of the argument buffer; offset of the next argument */
    int count;         /* number of arguments read so far */
    bool bad;          /* the argument buffer could not be read */
    bool surplus;      /* the format has more conversions than printf takes arguments */
} printf_arguments;

/* An H200 prints any value for further arguments. Here they are 0. */
#define MAX_PRINTF_ARGUMENTS 32 /* maximum number of arguments of a printf call */

static uint64_t next_printf_argument(printf_arguments *a, uint32_t bytes)
{
    if (a->count == MAX_PRINTF_ARGUMENTS) {
        a->surplus = true;
        return 0;
    }
    a->at = (a->at + bytes - 1) / bytes * bytes;
    const void *from = sm_host_pointer_of_generic(a->w, a->lane, a->base + a->at, bytes);
    uint64_t v = 0;
    if (!from) {
        a->bad = true;
        return 0;
    }
    memcpy(&v, from, bytes);
    a->at += bytes;
    a->count++;
    return v;
}

/* Print V for the conversion %b, which the host's printf may not support. */
static void print_binary(uint32_t v, FILE *to)
{
    for (int bit = v ? 31 - __builtin_clz(v) : 0; bit >= 0; bit--)
        fputc('0' + (int)(v >> bit & 1), to);
}

/* Print one conversion that begins at the % in F; returns the text after it. Like an H200, print
 * unsupported conversions unchanged: `*` as precision, %5%, sizes other than h, l and ll. */
static const char *print_conversion(printf_arguments *a, const char *f, FILE *to)
{
    char spec[64] = "%";
    size_t n = 1;
    const char *start = f++;
    bool wide = false;
    if (*f == '%' || (*f == 'q' && (!f[1] || !strchr("diouxXeEfFgGaAcsp", f[1])))) {
        fputc('%', to);
        return f + 1;
    }
    if (*f == 'b') {
        print_binary((uint32_t)next_printf_argument(a, 4), to);
        return f + 1;
    }
    while (*f && strchr("-+ #0", *f) && n < 8)
        spec[n++] = *f++;
    for (int part = 0; part < 2; part++) {
        if (part == 1) {
            if (*f != '.')
                break;
            spec[n++] = *f++;
        }
        if (*f == '*' && part == 1) {
            fwrite(start, 1, (size_t)(f - start), to);
            return f;
        }
        if (*f == '*') {
            n += (size_t)snprintf(spec + n, 16, "%d", (int)next_printf_argument(a, 4));
            f++;
        }
        for (int digits = 0; *f >= '0' && *f <= '9'; f++)
            if (digits++ < 9)
                spec[n++] = *f;
    }
    while (*f == 'h' || *f == 'l') {
        wide = wide || *f == 'l';
        if (*f == 'h')
            spec[n++] = 'h';
        f++;
    }
    const char type = *f;
    if (strchr("diouxXc", type) && type) {
        if (wide && type != 'c') {
            spec[n++] = 'l';
            spec[n++] = 'l';
        }
        spec[n++] = type;
        spec[n] = 0;
        if (wide && type != 'c')
            fprintf(to, spec, (long long)next_printf_argument(a, 8));
        else
            fprintf(to, spec, (int)next_printf_argument(a, 4));
    } else if (strchr("eEfFgGaA", type) && type) {
        spec[n++] = type;
        spec[n] = 0;
        const uint64_t bits = next_printf_argument(a, 8);
        double v;
        memcpy(&v, &bits, sizeof v);
        fprintf(to, spec, v);
    } else if (type == 'p') {
        spec[n++] = type;
        spec[n] = 0;
        fprintf(to, spec, (void *)(uintptr_t)next_printf_argument(a, 8));
    } else if (type == 's') {
        spec[n++] = type;
        spec[n] = 0;
        const uint64_t address = next_printf_argument(a, 8);
        char *text = address && !a->bad ? copy_device_string(a->w, a->lane, address) : NULL;
        a->bad = a->bad || (address && !text);
        fprintf(to, spec, text); /* for a null pointer the host's printf writes (null), if the
                                    precision allows it */
        free(text);
    } else {
        /* not a conversion: print it unchanged */
        fwrite(start, 1, (size_t)(f - start), to);
        return f;
    }
    return f + 1;
}

static const sm_insn *run_vprintf(sm_warp *w, const sm_insn *i, const sm_call *c)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) {
        return sm_stop_launch(w, i, SM_FAULT_MEMORY, w->mask, 0, 0, PTX_SPACE_NONE,
                              "the host is out of memory for printf");
    }
    uint32_t failed = 0;
    sm_printed printed = {0};
    for (uint32_t m = w->mask; m && !failed; m &= m - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(m);
        char *format = copy_device_string(w, l, sm_read_call_argument(w->r, &c->arg[0], l));
        printf_arguments a = {
            .w = w, .lane = l, .base = sm_read_call_argument(w->r, &c->arg[1], l)};
        for (const char *f = format; f && *f && !a.bad;)
            if (*f == '%')
                f = print_conversion(&a, f, to);
            else
                fputc(*f++, to);
        failed = !format || a.bad ? 1u << l : 0;
        free(format);
        set_call_result(w, c, l, (uint32_t)a.count);
        printed.calls++;
        printed.bytes += SM_PRINTF_CALL_BYTES + SM_PRINTF_ARGUMENT_BYTES * (uint64_t)a.count;
        printed.surplus = a.surplus ? sm_site_insn(w, i) : printed.surplus;
    }
    fclose(to);
    sm_output_count(w->block->grid->output, &printed);
    sm_output_add(w->block->grid->output, w->block->linear, text, size);
    free(text);
    if (failed) {
        return sm_stop_launch(
            w, i, SM_FAULT_ADDRESS, failed, 0, 0, PTX_SPACE_NONE,
            "printf reads memory that is not allocated: a %%s without a device string, or "
            "more conversions than arguments");
    }
    return i + 1;
}

/* --- assert ----------------------------------------------------------------------------------- */

static const sm_insn *run_assertfail(sm_warp *w, const sm_insn *i, const sm_call *c)
{
    char *said = NULL;
    size_t size;
    FILE *to = open_memstream(&said, &size);
    const uint32_t first = (uint32_t)__builtin_ctz(w->mask);
    char *message = copy_device_string(w, first, sm_read_call_argument(w->r, &c->arg[0], first));
    char *file = copy_device_string(w, first, sm_read_call_argument(w->r, &c->arg[1], first));
    char *function = copy_device_string(w, first, sm_read_call_argument(w->r, &c->arg[3], first));
    const uint32_t *b = w->block->id;
    for (uint32_t m = w->mask; to && m; m &= m - 1) {
        const uint32_t l = (uint32_t)__builtin_ctz(m);
        fprintf(to, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                file ? file : "?", (unsigned)sm_read_call_argument(w->r, &c->arg[2], l),
                function ? function : "?", b[0], b[1], b[2], w->tid[0][l], w->tid[1][l],
                w->tid[2][l], message ? message : "?");
    }
    if (to)
        fclose(to);
    if (!sm_has_faulted(w->block->grid) && said)
        fwrite(said, 1, size, stderr);
    sm_stop_launch(w, i, SM_FAULT_ASSERT, w->mask, 0, 0, PTX_SPACE_NONE, "assertion `%s` failed",
                   message ? message : "?");
    free(said);
    free(message);
    free(file);
    free(function);
    return NULL;
}

/* --- malloc and free -------------------------------------------------------------------------- */

static const sm_insn *run_malloc(sm_warp *w, const sm_insn *i, const sm_call *c)
{
    SM_EACH_LANE(l, w->mask) {
        const uint64_t bytes = sm_read_call_argument(w->r, &c->arg[0], l);
        const uint64_t address = sm_heap_alloc(bytes);
        if (address && w->block->observed)
            observe_heap_alloc(w, l, address, bytes);
        set_call_result(w, c, l, address);
    }
    return i + 1;
}

static const sm_insn *run_free(sm_warp *w, const sm_insn *i, const sm_call *c)
{
    SM_EACH_LANE(l, w->mask) {
        const uint64_t address = sm_read_call_argument(w->r, &c->arg[0], l);
        if (address && !sm_heap_free(address)) {
            return sm_stop_launch(
                w, i, SM_FAULT_ADDRESS, 1u << l, address, 0, PTX_SPACE_GLOBAL,
                "free(0x%llx): malloc() in device code did not return this address, or "
                "it has been freed already",
                (unsigned long long)address);
        }
        if (address && w->block->observed)
            observe_heap_free(w, i, l, address);
    }
    return i + 1;
}

/* --- conditional nodes of graphs -------------------------------------------------------------- */

static const sm_insn *run_set_condition(sm_warp *w, const sm_insn *i, const sm_call *c)
{
    SM_EACH_LANE(l, w->mask) {
        const uint64_t handle = sm_read_call_argument(w->r, &c->arg[0], l);
        sm_condition *to = sm_host_pointer_of_generic(w, l, handle, sizeof *to);
        if (!to || to->mark != SM_CONDITION_MARK) {
            return sm_stop_launch(
                w, i, SM_FAULT_ADDRESS, 1u << l, handle, 0, PTX_SPACE_GLOBAL,
                "cudaGraphSetConditional(0x%llx): that is no handle of a conditional "
                "node, or its graph has been destroyed",
                (unsigned long long)handle);
        }
        __atomic_store_n(&to->value, (uint32_t)sm_read_call_argument(w->r, &c->arg[1], l),
                         __ATOMIC_RELAXED);
    }
    return i + 1;
}

static const struct {
    const char *name; /* name of the function in PTX */
    uint32_t args;    /* number of arguments */
    sm_syscall run;   /* function that implements it */
} table[] = {
    {"vprintf", 2, run_vprintf},
    {"__assertfail", 5, run_assertfail},
    {"malloc", 1, run_malloc},
    {"free", 1, run_free},
    {"cudaGraphSetConditional", 2, run_set_condition},
};

sm_syscall sm_syscall_find(const char *name, uint32_t args)
{
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (strcmp(table[k].name, name) == 0 && (args == SM_ANY_ARGUMENTS || table[k].args == args))
            return table[k].run;
    return sm_runtime_find(name, args);
}

bool sm_is_device_function(const char *name)
{
    return sm_syscall_find(name, SM_ANY_ARGUMENTS) != NULL;
}
