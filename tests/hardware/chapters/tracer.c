/* Records with CUPTI when a GPU ran each kernel and copy, in the rows that the emulator appends to
 * WARPBOOK_TIMELINE.
 *
 *     cc -shared -fPIC -I TOOLKIT/include -o tracer.so tracer.c -L TOOLKIT/lib64 -lcupti
 *     CUDA_INJECTION64_PATH=$PWD/tracer.so WARPBOOK_TIMELINE=FILE WARPBOOK_RECORD=FILE ./lab
 *
 * Kernels and copies: op stream kind name start_ns end_ns, sorted by start. Times are the device's
 * time stamps, relative to the loading of the tracer. Rows are written before cudaDeviceSynchronize
 * returns, because LAB_TIMELINE then reads them. Source: CUPTI, Activity API and Callback API. */
#include <cupti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_BYTES = 1 << 20, NAME_SIZE = 128 };

typedef struct span {
    uint64_t start, end;  /* CUPTI time stamps in ns */
    unsigned stream;      /* CUPTI's number of the stream */
    const char *kind;     /* "kernel", or the direction of a copy */
    char name[NAME_SIZE]; /* name of the kernel; "-": a copy */
} span;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* CUPTI calls back from its own thread */
static span *spans;                      /* kernels and copies that are not written yet */
static size_t span_count, span_capacity; /* elements of spans used; allocated */
static unsigned long operation_count;    /* rows written so far */
static uint64_t load_time_ns;            /* time stamp of the loading of the tracer */
static const char *trace_path;           /* file for the rows; NULL: nothing is recorded */

static void report_cupti_error(const char *what, CUptiResult result)
{
    const char *words = NULL;
    cuptiGetResultString(result, &words);
    fprintf(stderr, "tracer: %s: %s\n", what, words ? words : "unknown error");
}

#define TRY(call)                                   \
    do {                                            \
        CUptiResult tried = (call);                 \
        if (tried != CUPTI_SUCCESS) {               \
            report_cupti_error(#call, tried);       \
            trace_path = NULL; /* stop recording */ \
        }                                           \
    } while (0)

/* "relax" of "_Z5relaxPfi": works only for kernels without namespace or template, as in the
 * labs. */
static void demangle_kernel_name(char *to, const char *mangled)
{
    char *rest = NULL;
    unsigned long length = strncmp(mangled, "_Z", 2) == 0 ? strtoul(mangled + 2, &rest, 10) : 0;
    if (length > 0 && length < NAME_SIZE && strlen(rest) >= length)
        snprintf(to, NAME_SIZE, "%.*s", (int)length, rest);
    else
        snprintf(to, NAME_SIZE, "%s", mangled);
}

static span *add_span(uint64_t start, uint64_t end, unsigned stream, const char *kind)
{
    if (span_count == span_capacity) {
        size_t more = span_capacity ? 2 * span_capacity : 1024;
        span *grown = realloc(spans, more * sizeof *spans);
        if (!grown) {
            fprintf(stderr, "tracer: no memory for %zu spans\n", more);
            abort();
        }
        spans = grown;
        span_capacity = more;
    }
    span *s = &spans[span_count++];
    *s = (span){start, end, stream, kind, "-"};
    return s;
}

static const char *copy_kind_name(uint8_t kind)
{
    return kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD   ? "copy_h2d"
           : kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? "copy_d2h"
           : kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOD ? "copy_d2d"
                                                     : "copy_h2h";
}

static void CUPTIAPI on_buffer_requested(uint8_t **buffer, size_t *size, size_t *records)
{
    *size = BUFFER_BYTES;
    *records = 0; /* 0: as many records as fit */
    *buffer = aligned_alloc(8, BUFFER_BYTES);
    if (!*buffer)
        *size = 0;
}

static void CUPTIAPI on_buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer,
                                         size_t size, size_t valid)
{
    CUpti_Activity *record = NULL;
    (void)context, (void)stream, (void)size;
    pthread_mutex_lock(&lock);
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
        if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
            const CUpti_ActivityKernel10 *k = (const CUpti_ActivityKernel10 *)record;
            demangle_kernel_name(add_span(k->start, k->end, k->streamId, "kernel")->name, k->name);
        } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
            const CUpti_ActivityMemcpy6 *c = (const CUpti_ActivityMemcpy6 *)record;
            add_span(c->start, c->end, c->streamId, copy_kind_name(c->copyKind));
        }
    }
    pthread_mutex_unlock(&lock);
    free(buffer);
}

static int compare_by_start(const void *a, const void *b)
{
    const span *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static void write_rows(void)
{
    FILE *f = trace_path && span_count ? fopen(trace_path, "a") : NULL;
    if (f) {
        if (ftell(f) == 0)
            fputs("op\tstream\tkind\tname\tstart_ns\tend_ns\n", f);
        qsort(spans, span_count, sizeof *spans, compare_by_start);
        for (size_t i = 0; i < span_count; i++)
            fprintf(f, "%lu\t%u\t%s\t%s\t%llu\t%llu\n", operation_count++, spans[i].stream,
                    spans[i].kind, spans[i].name,
                    (unsigned long long)(spans[i].start - load_time_ns),
                    (unsigned long long)(spans[i].end - load_time_ns));
    }
    if (trace_path && span_count && (!f || fclose(f) != 0)) {
        fprintf(stderr, "tracer: cannot write %s\n", trace_path);
        trace_path = NULL;
    }
    span_count = 0;
}

/* After cudaDeviceSynchronize all work in streams has run: write its rows. */
static void CUPTIAPI note_driver_call(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                      const void *info)
{
    const CUpti_CallbackData *call = info;
    (void)data, (void)domain, (void)id;
    if (call->callbackSite != CUPTI_API_EXIT || !trace_path)
        return;
    TRY(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    pthread_mutex_lock(&lock);
    write_rows();
    pthread_mutex_unlock(&lock);
}

/* The driver calls this function when it loads the library named by CUDA_INJECTION64_PATH. */
__attribute__((visibility("default"))) int InitializeInjection(void)
{
    static CUpti_SubscriberHandle subscriber;
    trace_path = getenv("WARPBOOK_TIMELINE");
    if (!trace_path || !*trace_path) {
        trace_path = NULL;
        return 1;
    }
    TRY(cuptiSubscribe(&subscriber, note_driver_call, NULL));
    TRY(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                            CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020));
    TRY(cuptiActivityRegisterCallbacks(on_buffer_requested, on_buffer_completed));
    TRY(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    TRY(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
    TRY(cuptiGetTimestamp(&load_time_ns));
    return 1;
}
