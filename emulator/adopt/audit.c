/* libwarpbook-adopt.so: an audit library (LD_AUDIT, rtld-audit(7)), so that it sees each file that
 * is loaded before any of its code runs, those too that dlopen loads. It lives in a namespace of
 * its own, with a libc of its own. */
#include "../base/list.h"
#include "adopt.h"
#include "function_names.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define AUDIT_API __attribute__((visibility("default")))

enum { EXIT_REFUSED = 2 };

/* The addresses that jump.S jumps to; NULL: not known yet. */
void *adopt_target[ADOPT_MOST_NAMES * ADOPT_LIBRARIES] __attribute__((visibility("hidden")));

static struct link_map *
    *pending; /* files that were loaded since the last time that all was consistent */
static size_t pending_count;
static bool program_seen; /* has the program's own file been loaded? It is the first */
static bool runtime_adopted[ADOPT_LIBRARIES]; /* was a runtime found before main? */

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
    char text[PATH_MAX + 1024] = "warpbook: ";
    const size_t begin = strlen(text);
    va_list ap;
    va_start(ap, format);
    vsnprintf(text + begin, sizeof text - begin - 1, format, ap);
    va_end(ap);
    strcat(text, "\n");
    const ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written; /* if stderr cannot be written, nothing can be said */
}

/* --- the emulator's library --- */

static const char *const library_name[ADOPT_LIBRARIES] = {"libcudart.so.13", "libcudart.so.12"};

/* The emulator's library NAME, which lies next to this one. Locks of one's own could wait for one
 * another with the dynamic linker's; each thread may do this. */
static void *open_library(const char *name, char path[PATH_MAX])
{
    Dl_info self;
    if (!dladdr((const void *)&adopt_target, &self) || !self.dli_fname)
        return NULL;
    const char *slash = strrchr(self.dli_fname, '/');
    const int length = slash ? (int)(slash - self.dli_fname + 1) : 0;
    const int n = snprintf(path, PATH_MAX, "%.*s%s", length, self.dli_fname, name);
    return n > 0 && n < PATH_MAX ? dlmopen(LM_ID_BASE, path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

void *adopt_load(unsigned number)
{
    const unsigned which = number / ADOPT_MOST_NAMES, first = which * ADOPT_MOST_NAMES;
    char path[PATH_MAX] = "";
    void *library = open_library(library_name[which], path);
    if (!library) {
        say("%s cannot be loaded, so the program's calls of CUDA lead nowhere: %s",
            *path ? path : library_name[which], dlerror());
        _exit(EXIT_REFUSED);
    }
    for (unsigned i = 0; adopt_name(i); i++)
        __atomic_store_n(&adopt_target[first + i], dlsym(library, adopt_name(i)), __ATOMIC_RELEASE);
    return adopt_target[number];
}

/* --- files that are loaded --- */

typedef struct mapped_file {
    const uint8_t *bytes; /* the file, or NULL: it cannot be read */
    size_t size;
} mapped_file;

static mapped_file map_file(const char *path)
{
    mapped_file m = {0};
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return m;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
        void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (at != MAP_FAILED)
            m = (mapped_file){at, (size_t)st.st_size};
    }
    close(fd);
    return m;
}

static void unmap_file(mapped_file *m)
{
    if (m->bytes)
        munmap((void *)(uintptr_t)m->bytes, m->size);
}

/* The path of a loaded file. The dynamic linker leaves the program's empty; the kernel knows it,
 * also where the program was started through the dynamic linker's own command line. */
static const char *path_of(const struct link_map *map, char buffer[PATH_MAX])
{
    if (map->l_name[0])
        return map->l_name;
    const uintptr_t at = (uintptr_t)map->l_ld;
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_MAX + 128];
    buffer[0] = 0;
    while (maps && !buffer[0] && fgets(line, sizeof line, maps)) {
        uintptr_t from, end;
        char *path = strchr(line, '/');
        if (path && sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &from, &end) == 2 && at >= from &&
            at < end)
            snprintf(buffer, PATH_MAX, "%.*s", (int)strcspn(path, "\n"), path);
    }
    if (maps)
        fclose(maps);
    return buffer;
}

/* Why the program cannot run here, as the end of a sentence about its file; NULL: it can. */
static const char *reason_to_refuse(const adopt_image *image)
{
    if (image->older == 11)
        return "carries the runtime of CUDA Toolkit 11 or older, whose calls the emulator does not "
               "have: build it with toolkit 12 or 13";
    if (image->has_device_code && !image->has_symbols && !image->imports_runtime)
        return "carries NVIDIA's runtime library in itself and is stripped, so the emulator does "
               "not find what to stand in for: do not strip it, or build it with `nvcc -cudart "
               "shared`";
    if (image->machine_code && !image->ptx)
        return "contains machine code for a GPU but no PTX, which is what the emulator runs: build "
               "it with -arch=sm_90, or add `-gencode arch=compute_90,code=compute_90`";
    if (image->carries_library) {
        static char text[256];
        snprintf(text, sizeof text,
                 "carries NVIDIA's lib%s in itself, which is machine code for a GPU: link it with "
                 "-l%s in the place of -l%s_static, so that the emulator's lib%s runs",
                 image->carries_library, image->carries_library, image->carries_library,
                 image->carries_library);
        return text;
    }
    return NULL;
}

/* End the process before the program's code runs, if it cannot run on the emulator. */
static void refuse_if_hopeless(const struct link_map *map)
{
    char buffer[PATH_MAX];
    adopt_image image;
    const char *path = path_of(map, buffer);
    mapped_file file = map_file(path);
    const char *why = file.bytes && adopt_image_read(file.bytes, file.size, &image)
                          ? reason_to_refuse(&image)
                          : NULL;
    if (why) {
        say("%s %s", path, why);
        _exit(EXIT_REFUSED);
    }
    if (file.bytes)
        adopt_image_free(&image);
    unmap_file(&file);
}

static void adopt_runtime_of(const struct link_map *map)
{
    char buffer[PATH_MAX];
    adopt_image image = {0};
    const char *path = path_of(map, buffer);
    mapped_file file = map_file(path);
    const bool readable = file.bytes && adopt_image_read(file.bytes, file.size, &image);
    if (readable && image.nvrtc[NVRTC_CUBIN].code &&
        !adopt_hand_out_ptx(&image, (uintptr_t)map->l_addr))
        say("%s cannot be made to hand out PTX: compile for compute_90 in the place of sm_90",
            path);
    if (readable && image.carries_runtime) {
        const unsigned which = image.older == 12;
        const char *why = image.older == 11 ? reason_to_refuse(&image)
                                            : adopt_write_jumps(&image, (uintptr_t)map->l_addr,
                                                                which * ADOPT_MOST_NAMES);
        if (why)
            say(image.older == 11
                    ? "%s %s"
                    : "the runtime library in %s cannot be replaced, because %s: build it "
                      "with `nvcc -cudart shared`",
                path, why);
        else
            runtime_adopted[which] = true;
    }
    adopt_image_free(&image);
    unmap_file(&file);
}

/* --- what the dynamic linker calls --- */

AUDIT_API unsigned int la_version(unsigned int version)
{
    return version;
}

AUDIT_API unsigned int la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    *cookie = (uintptr_t)map;
    if (space != LM_ID_BASE)
        return 0;
    if (!program_seen)
        refuse_if_hopeless(map);
    program_seen = true;
    struct link_map **new = LIST_ADD(pending, pending_count);
    if (new)
        *new = map;
    return 0;
}

/* A file may go before all is consistent: dlopen failed. */
AUDIT_API unsigned int la_objclose(uintptr_t *cookie)
{
    size_t kept = 0;
    for (size_t i = 0; i < pending_count; i++)
        if ((uintptr_t)pending[i] != *cookie)
            pending[kept++] = pending[i];
    pending_count = kept;
    return 0;
}

AUDIT_API void la_activity(uintptr_t *cookie, unsigned int what)
{
    (void)cookie;
    if (what != LA_ACT_CONSISTENT)
        return;
    for (size_t i = 0; i < pending_count; i++)
        adopt_runtime_of(pending[i]);
    pending_count = 0;
}

/* Before the program's constructors: what the runtime does at the end then follows what they
 * order. */
AUDIT_API void la_preinit(uintptr_t *cookie)
{
    (void)cookie;
    for (unsigned i = 0; i < ADOPT_LIBRARIES; i++)
        if (runtime_adopted[i] && !adopt_target[i * ADOPT_MOST_NAMES])
            adopt_load(i * ADOPT_MOST_NAMES);
}
