#include "build.h"

#include "../base/device.h"
#include "../base/files.h"
#include "../base/leftovers.h"
#include "refusal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOURCE_LIMIT = 4 << 20 }; /* bytes of a source file, at most */
#define BUILD_LIMIT_S 300.0      /* time limit of the compiler in seconds */

static char *locate_nvcc(char *err, size_t err_size)
{
    const char *said = getenv("NVCC"), *cuda = getenv("CUDA");
    if (said && *said) {
        char *path = find_program(said);
        if (!path)
            snprintf(err, err_size,
                     "NVCC is set to %s, which does not exist: unset it, or set it to your nvcc",
                     said);
        return path;
    }
    char *path = find_program("nvcc");
    const char *places[] = {cuda && *cuda ? cuda : "/usr/local/cuda",
                            cuda && *cuda ? NULL : "/opt/cuda"};
    for (size_t i = 0; !path && i < 2 && places[i]; i++) {
        OWNED char *full = xprintf("%s/bin/nvcc", places[i]);
        path = find_program(full);
    }
    if (!path)
        snprintf(err, err_size,
                 "found no nvcc: install the CUDA Toolkit (%d.%d or newer), or put its bin "
                 "directory on PATH",
                 NVCC_OLDEST_MAJOR, NVCC_OLDEST_MINOR);
    return path;
}

static bool read_nvcc_version(nvcc_compiler *c, char *err, size_t err_size)
{
    const char *argv[] = {c->path, "--version", NULL};
    job_end how;
    int code;
    OWNED char *says = job_run_and_read(argv, 30, &how, &code);
    const char *release = strstr(says, "release ");
    bool ok = how == JOB_EXITED && code == 0 && release &&
              sscanf(release, "release %d.%d", &c->major, &c->minor) == 2;
    if (!ok)
        return fails(err, err_size, "%s does not answer to --version as nvcc does", c->path);
    if (c->major < NVCC_OLDEST_MAJOR ||
        (c->major == NVCC_OLDEST_MAJOR && c->minor < NVCC_OLDEST_MINOR))
        return fails(
            err, err_size,
            "%s is from CUDA %d.%d, and warpbook needs %d.%d or newer: install a newer CUDA "
            "Toolkit, or put its bin directory first on PATH",
            c->path, c->major, c->minor, NVCC_OLDEST_MAJOR, NVCC_OLDEST_MINOR);
    return true;
}

bool find_compiler(nvcc_compiler *c, char *err, size_t err_size)
{
    static nvcc_compiler known;
    if (!known.major) {
        OWNED char *path = locate_nvcc(err, err_size);
        if (!path)
            return false;
        snprintf(known.path, sizeof known.path, "%s", path);
        if (!read_nvcc_version(&known, err, err_size)) {
            known.major = 0;
            return false;
        }
    }
    *c = known;
    return true;
}

/* The compiler that nvcc shall use for host code; NULL: the one that it finds. Toolkit 12.4's nvcc
 * does not read the variable itself. */
static const char *host_compiler(void)
{
    const char *said = getenv("NVCC_CCBIN");
    return said && *said ? said : NULL;
}

bool takes_host_compiler(const nvcc_compiler *c, char *err, size_t err_size)
{
    scratch_dir dir;
    if (!make_scratch_directory(&dir, "nvcc")) {
        snprintf(err, err_size, "cannot make the directory %s: %s; set TMPDIR", dir.path,
                 strerror(errno));
        remove_scratch_directory(&dir);
        return false;
    }
    /* As far as to host code, so that nvcc reads the headers of both. */
    OWNED char *out = xprintf("%s/empty.cpp", dir.path);
    const char *host = host_compiler(),
               *argv[] = {c->path,     "-cuda", "-x", "cu",
                          "/dev/null", "-o",    out,  host ? "-ccbin" : NULL,
                          host,        NULL};
    job_end how;
    int code;
    OWNED char *says = job_run_and_read(argv, 30, &how, &code);
    const bool ok = how == JOB_EXITED && code == 0;
    remove_scratch_directory(&dir);
    if (!ok) {
        OWNED char *sentence = explain_host_compiler(says);
        snprintf(err, err_size, "%s%s%s", sentence ? sentence : c->path,
                 sentence ? "" : " does not compile an empty file: ", sentence ? "" : says);
        err[strcspn(err, "\n")] = '\0';
    }
    return ok;
}

/* GPU architecture for nvcc. A compiler in a sandbox cannot query the GPU. */
static const char *compiler_architecture(installation *h, const build_target *t)
{
    if (!t->gpu)
        return "-arch=sm_90";
    return t->boxed ? arena_printf(&h->memory, "-arch=sm_%d", gpu_capability()) : "-arch=native";
}

/* The arguments of nvcc, NULL-terminated. Builds for the emulator use less host optimization: -O3
 * costs gcc one more second, half of the build time, and device code does not change. */
static const char **compiler_arguments(installation *h, const build_target *t,
                                       const nvcc_compiler *nvcc, const char *out)
{
    const char *host = host_compiler();
    const char *list[] = {nvcc->path,
                          "-std=c++17",
                          "-lineinfo",
                          "-Xcompiler",
                          t->gpu ? "-O3,-g1"
                                 : "-Og,-g1", /* -g1 adds line numbers of host code, for reports */
                          "-cudart",
                          "shared",
                          compiler_architecture(h, t),
                          "-I",
                          "common", /* see build_start */
                          source_path_of(t),
                          "-o",
                          out,
                          host ? "-ccbin" : NULL,
                          host,
                          NULL};
    const char **argv = arena_alloc(&h->memory, sizeof list);
    memcpy(argv, list, sizeof list);
    return argv;
}

char *build_command(installation *h, const build_target *t, const nvcc_compiler *nvcc)
{
    CLEANUP(sb_free) sb line = {0};
    sb_puts(&line, "nvcc");
    for (const char **a = compiler_arguments(h, t, nvcc, program_path_of(h, t)) + 1; *a; a++)
        sb_printf(&line, " %s", installation_short_path(h, *a));
    return arena_strdup(&h->memory, line.s);
}

/* A hash of all that the program depends on: the command, the source, all files of common/. */
static char *build_fingerprint(installation *h, const build_target *t, const nvcc_compiler *nvcc)
{
    uint64_t hash = HASH_INITIAL_VALUE;
    for (const char **a = compiler_arguments(h, t, nvcc, ""); *a; a++)
        hash = hash_bytes(hash, *a, strlen(*a) + 1);
    const char *const own[] = {getenv("NVCC_PREPEND_FLAGS"), getenv("NVCC_APPEND_FLAGS")};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        hash = hash_bytes(hash, own[k] ? own[k] : "", own[k] ? strlen(own[k]) + 1 : 1);
    hash = hash_bytes(hash, &nvcc->major, sizeof nvcc->major);
    hash = hash_bytes(hash, &nvcc->minor, sizeof nvcc->minor);
    hash = hash_file(hash, source_path_of(t), SOURCE_LIMIT);
    hash = hash_directory(hash, installation_path(h, "common"), SOURCE_LIMIT);
    return arena_printf(&h->memory, "%016" PRIx64 "\n", hash);
}

bool build_is_current(installation *h, const build_target *t, const nvcc_compiler *nvcc)
{
    char *program = program_path_of(h, t);
    OWNED char *stamp = read_whole_file(arena_printf(&h->memory, "%s.built", program), 4096, NULL);
    return stamp && file_exists(program) && strcmp(stamp, build_fingerprint(h, t, nvcc)) == 0;
}

static char *unfinished_path(installation *h, const build_target *t)
{
    OWNED char *name = unfinished_name(program_path_of(h, t));
    return arena_strdup(&h->memory, name);
}

/* The toolkit's directory: two levels above the real path of nvcc. In the installation's arena. */
static const char *toolkit_directory(installation *h, const nvcc_compiler *nvcc)
{
    OWNED char *real = realpath(nvcc->path, NULL);
    char *root = arena_strdup(&h->memory, real ? real : nvcc->path);
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(root, '/');
        if (slash && slash != root)
            *slash = '\0';
    }
    return root;
}

/* The compiler command with its arguments. nvcc compiles parts of a program in parallel, except in
 * a sandbox: there several submissions are built at the same time. */
static const char *const *compiler_command(installation *h, const build_target *t,
                                           const nvcc_compiler *nvcc, const char *out)
{
    const char **plain = compiler_arguments(h, t, nvcc, out),
               *beside = installation_tool(h, "warpbook-nvcc");
    size_t n = 0;
    if (t->boxed || !file_exists(beside))
        return plain;
    while (plain[n])
        n++;
    const char **argv = arena_alloc(&h->memory, (n + 2) * sizeof *argv);
    argv[0] = beside;
    memcpy(argv + 1, plain, (n + 1) * sizeof *argv);
    return argv;
}

/* nvcc writes its intermediate files to TMPDIR, and blames the source if it cannot. */
static bool is_tmpdir_usable(char *err, size_t err_size)
{
    const char *tmp = getenv("TMPDIR");
    if (!tmp || !*tmp || (file_is_dir(tmp) && access(tmp, W_OK | X_OK) == 0))
        return true;
    return fails(err, err_size, "TMPDIR is %s, which is no directory that can be written: unset it",
                 tmp);
}

bool build_start(installation *h, const build_target *t, const nvcc_compiler *nvcc, stage *g,
                 char *err, size_t err_size)
{
    const char *dir = arena_printf(&h->memory, "%s/labs", h->build);
    if (!t->boxed && !is_tmpdir_usable(err, err_size))
        return false;
    if (!make_directories(dir))
        return fails(err, err_size, "cannot make the directory %s: %s", dir, strerror(errno));
    remove_leftovers(dir, NULL);
    /* The source may change while the compiler reads it, so the stamp describes the source as it
     * was when the compiler started. */
    char *stamp = arena_printf(&h->memory, "%s.stamp", unfinished_path(h, t));
    const char *print = build_fingerprint(h, t, nvcc);
    if (!write_whole_file(stamp, print, strlen(print)))
        return fails(err, err_size, "cannot write %s: %s", stamp, strerror(errno));
    const char *out = stage_result_path(&h->memory, t->boxed, unfinished_path(h, t));
    /* nvcc garbles a quote in the argument of -I, so the headers are named by a path from the root,
     * and in a sandbox, which starts elsewhere, by a variable of the host's compiler. */
    const char *headers[] = {arena_printf(&h->memory, "CPATH=%s", installation_path(h, "common")),
                             NULL};
    const char *shown[] = {toolkit_directory(h, nvcc), installation_path(h, "common"),
                           source_path_of(t), NULL};
    return stage_start(g,
                       &(stage_spec){.use = SANDBOX_COMPILE,
                                     .boxed = t->boxed,
                                     .argv = compiler_command(h, t, nvcc, out),
                                     .env = t->boxed ? headers : NULL,
                                     .dir = h->root,
                                     .limit_s = BUILD_LIMIT_S,
                                     .shown = shown},
                       err, err_size);
}

bool build_finish(installation *h, const build_target *t, const stage *g, char *err,
                  size_t err_size)
{
    int code;
    char *from = unfinished_path(h, t), *to = program_path_of(h, t);
    char *stamp = arena_printf(&h->memory, "%s.stamp", from);
    bool ok = stage_outcome(g, &code) == JOB_EXITED && code == 0;
    if (ok && (!stage_copy_file_out(g, from, 0755) || rename(from, to) != 0 ||
               rename(stamp, arena_printf(&h->memory, "%s.built", to)) != 0)) {
        snprintf(err, err_size, "cannot put the program at %s: %s", to, strerror(errno));
        ok = false;
    }
    build_delete_outputs(h, t);
    return ok;
}

void build_delete_outputs(installation *h, const build_target *t)
{
    char *from = unfinished_path(h, t);
    unlink(from);
    unlink(arena_printf(&h->memory, "%s.stamp", from));
}

/* Length of the start of PATH that messages leave out. PATH is relative to the directory of builds;
 * if it names a copy of a submission, everything before the file name is omitted. */
static size_t length_of_omitted_path(const char *path)
{
    static const char copies[] = "/graded/";
    const char *name = starts_with(path, copies) ? path + strlen(copies) : NULL;
    name = name ? name + strcspn(name, "/ \n") : NULL;
    if (!name || *name != '/')
        return 0;
    name += starts_with(name, "/graft/") ? strlen("/graft/") : 1;
    return (size_t)(name - path);
}

char *build_shorten_message(installation *h, const char *output)
{
    sb text = {0};
    size_t n = strlen(h->root), work = strlen(h->build);
    while (*output) {
        if (strncmp(output, h->build, work) == 0 && output[work] == '/') {
            output += work;
            size_t part = length_of_omitted_path(output);
            sb_puts(&text, part ? "" : "build");
            output += part;
            continue;
        }
        if (strncmp(output, h->root, n) == 0 && output[n] == '/') {
            output += n + 1;
            continue;
        }
        sb_add(&text, output++, 1);
    }
    char *shorter = sb_take(&text), *explained = explain_assembler_lines(shorter);
    free(shorter);
    return explained;
}

bool build_and_wait(installation *h, const build_target *t, bool *lacks, char *err, size_t err_size)
{
    nvcc_compiler nvcc;
    stage g = {0};
    *lacks = true;
    if (!find_compiler(&nvcc, err, err_size))
        return false;
    bool is_current = build_is_current(h, t, &nvcc);
    if (!is_current && !build_start(h, t, &nvcc, &g, err, err_size))
        return false;
    *lacks = false;
    if (is_current)
        return true;
    bool whole = stage_wait(&g), good = whole && build_finish(h, t, &g, err, err_size);
    if (!whole)
        build_delete_outputs(h, t);
    if (!good) {
        OWNED char *message = build_shorten_message(h, job_output(g.j, NULL));
        fputs(message, stderr);
        snprintf(err, err_size, "%s does not compile", t->c->name);
    }
    stage_free(&g);
    return good;
}
