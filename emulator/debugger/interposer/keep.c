/* The open recording, and the operations that are written to it. */
#include "interposer.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

interposer_state interposer_recorder; /* state of the recorder */

static pthread_mutex_t interposer_lock_mutex = PTHREAD_MUTEX_INITIALIZER; /* the recorder's lock */
static const char *recording_path;       /* file of the recording */
static bool was_open_tried;              /* an attempt to open the recording was made */
static bool write_failed;                /* a write to the recording has failed */
__thread unsigned interposer_call_depth; /* nested calls of the runtime in this thread */
static uint64_t operation_count;         /* number of operations recorded so far */

enum { MAX_STREAMS = 4096, MAX_WARNINGS = 32 }; /* most streams, and most different warnings */
static cudaStream_t known_streams[MAX_STREAMS]; /* streams with a number in the recording */
static uint64_t stream_count;                   /* entries used in `known_streams` */

/* --- beginning and ending the recording ------------------------------------------------------- */

/* Stop recording and leave the file incomplete. */
static void abandon_recording(void)
{
    if (interposer_recorder.writer) {
        rec_abandon_file(interposer_recorder.writer);
        interposer_recorder.writer = NULL;
    }
}

/* Runs in a forked child process, where another thread may have held the lock. The recording stays
 * the parent's. */
static void forget_parent_recording(void)
{
    pthread_mutex_init(&interposer_lock_mutex, NULL);
    was_open_tried = true;
    abandon_recording();
}

/* Create the recording file and write the record `start` about the device and the program. */
static void open_recording(void)
{
    struct cudaDeviceProp device = {0};
    char program[4096] = "", library[64];
    int version = 0;
    was_open_tried = true;
    recording_path = getenv("WARPBOOK_INTERPOSER_RECORDING");
    if (!recording_path || !*recording_path)
        return;
    __typeof__(&cudaGetDeviceProperties) describe =
        interposer_find_runtime_function("cudaGetDeviceProperties");
    __typeof__(&cudaRuntimeGetVersion) runtime =
        interposer_find_runtime_function("cudaRuntimeGetVersion");
    const bool known = describe && describe(&device, 0) == cudaSuccess;
    if (runtime)
        runtime(&version);
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    program[n > 0 ? n : 0] = 0;
    snprintf(library, sizeof library, "cudart %d.%d", version / 1000, version % 1000 / 10);
    interposer_recorder.writer = rec_create_file(recording_path);
    if (!interposer_recorder.writer) {
        fprintf(stderr, "warpbook: the run is not recorded: cannot write %s.part: %s\n",
                recording_path, errno == EBUSY ? "another process records to it" : strerror(errno));
        return;
    }
    pthread_atfork(NULL, NULL, forget_parent_recording);
    interposer_write_record(&(rec_item){.kind = REC_start,
                                        .start = {.source = "gpu",
                                                  .library = library,
                                                  .profile = known ? device.name : "",
                                                  .program = program}});
}

/* Complete the recording file when the program ends. */
__attribute__((destructor)) static void close_recording(void)
{
    pthread_mutex_lock(&interposer_lock_mutex);
    rec_writer *w = interposer_recorder.writer;
    interposer_recorder.writer = NULL;
    pthread_mutex_unlock(&interposer_lock_mutex);
    if (w && !rec_close_file(w)) {
        fprintf(stderr, "warpbook: the recording %s is incomplete: cannot write to it: %s\n",
                recording_path, strerror(errno));
    }
}

void interposer_take_recorder_lock(void)
{
    interposer_call_depth++;
    pthread_mutex_lock(&interposer_lock_mutex);
}

void interposer_release_recorder_lock(void)
{
    pthread_mutex_unlock(&interposer_lock_mutex);
    interposer_call_depth--;
}

bool interposer_begin_recording(void)
{
    if (interposer_call_depth)
        return false;
    interposer_take_recorder_lock();
    if (!was_open_tried)
        open_recording();
    if (!interposer_recorder.writer) {
        interposer_release_recorder_lock();
        return false;
    }
    return true;
}

void interposer_write_record(const rec_item *item)
{
    if (interposer_recorder.writer && !rec_write_item(interposer_recorder.writer, item) &&
        !write_failed)
        write_failed = true; /* the error is reported when the program ends */
}

void interposer_warn(const char *format, ...)
{
    static uint64_t told[MAX_WARNINGS];
    static unsigned count;
    char text[600];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    const uint64_t hash = rec_digest_bytes(0, text, strlen(text));
    for (unsigned k = 0; k < count; k++)
        if (told[k] == hash)
            return;
    if (count < MAX_WARNINGS) {
        told[count++] = hash;
        interposer_write_record(&(rec_item){.kind = REC_unsure, .unsure = {.text = text}});
        fprintf(stderr, "warpbook: recording: %s: a replay may differ\n", text);
    }
}

/* --- operations ------------------------------------------------------------------------------- */

bool interposer_is_stream_capturing(cudaStream_t stream)
{
    enum cudaStreamCaptureStatus is = cudaStreamCaptureStatusNone;
    __typeof__(&cudaStreamIsCapturing) ask =
        interposer_recorder.captures ? interposer_find_runtime_function("cudaStreamIsCapturing")
                                     : NULL;
    return ask && ask(stream, &is) == cudaSuccess && is != cudaStreamCaptureStatusNone;
}

/* The number of STREAM in the recording: 0 is the default stream, others count from 1. */
static uint64_t stream_number(cudaStream_t stream)
{
    if (!stream || stream == cudaStreamLegacy)
        return 0;
    for (uint64_t k = 0; k < stream_count; k++)
        if (known_streams[k] == stream)
            return k + 1;
    if (stream_count < MAX_STREAMS)
        known_streams[stream_count++] = stream;
    return stream_count;
}

#define REAL_EVENT_CALL(call) ((__typeof__(&call))interposer_find_runtime_function(#call))

interposer_op interposer_begin_op(cudaStream_t stream)
{
    interposer_op o = {.id = ++operation_count, .stream = stream_number(stream), .on = stream};
    interposer_record_pages_before_op(o.id);
    if (REAL_EVENT_CALL(cudaEventCreate)(&o.begin) || REAL_EVENT_CALL(cudaEventCreate)(&o.done) ||
        REAL_EVENT_CALL(cudaEventRecord)(o.begin, stream))
        REAL_EVENT_CALL(cudaGetLastError)();
    return o;
}

void interposer_drop_op(interposer_op *o)
{
    REAL_EVENT_CALL(cudaEventDestroy)(o->begin);
    REAL_EVENT_CALL(cudaEventDestroy)(o->done);
}

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Wait for the event DONE, without the lock: others may issue work that it waits for. */
static cudaError_t wait_for_event(cudaEvent_t done)
{
    const double begin = now_seconds();
    for (uint64_t k = 0;; k++) {
        const cudaError_t e = REAL_EVENT_CALL(cudaEventQuery)(done);
        if (e != cudaErrorNotReady || now_seconds() - begin > INTERPOSER_MAX_WAIT_SECONDS)
            return e;
        const struct timespec nap = {.tv_nsec = k < 100 ? 1000 : 100000};
        nanosleep(&nap, NULL);
    }
}

double interposer_wait_for_op(interposer_op *o, cudaError_t *fault)
{
    float ms = 0;
    *fault = REAL_EVENT_CALL(cudaEventRecord)(o->done, o->on);
    pthread_mutex_unlock(&interposer_lock_mutex);
    *fault = *fault ? *fault : wait_for_event(o->done);
    pthread_mutex_lock(&interposer_lock_mutex);
    if (!*fault)
        REAL_EVENT_CALL(cudaEventElapsedTime)(&ms, o->begin, o->done);
    return (double)ms * 1e6;
}

void interposer_end_op(interposer_op *o, double ns, cudaError_t fault, uint64_t digest, bool launch)
{
    interposer_write_record(&(rec_item){
        .kind = REC_result, .result = {.op = o->id, .ns = ns, .fault = fault, .digest = digest}});
    if (launch && !fault)
        interposer_record_pages_after_launch(o->id);
    interposer_drop_op(o);
}
