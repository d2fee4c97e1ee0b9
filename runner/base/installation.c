#include "installation.h"

#include "files.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool has_chapters_directory(const char *dir)
{
    OWNED char *chapters = xprintf("%s/chapters", dir);
    return file_is_dir(chapters);
}

/* Shorten DIR to the nearest directory, DIR itself or one above it, that holds chapters/. False:
 * there is none. */
static bool find_workbook_above(char *dir)
{
    for (;;) {
        if (*dir && has_chapters_directory(dir))
            return true;
        char *slash = strrchr(dir, '/');
        if (!slash)
            return false;
        *slash = '\0';
    }
}

/* Shorten DIR by its last component if that is NAME. */
static bool cut_component(char *dir, const char *name)
{
    char *slash = strrchr(dir, '/');
    if (!slash || strcmp(slash + 1, name) != 0)
        return false;
    *slash = '\0';
    return true;
}

/* The directory of the workbook's program into DIR, PATH_MAX bytes. This process may also be one of
 * the programs that it starts: libexec/ next to it, or PREFIX/libexec/warpbook for PREFIX/bin. */
static void find_program_directory(char *dir)
{
    ssize_t n = readlink("/proc/self/exe", dir, PATH_MAX - 1);
    dir[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(dir, '/');
    if (slash)
        *slash = '\0';
    if (cut_component(dir, "libexec"))
        return;
    char installed[PATH_MAX];
    strcpy(installed, dir);
    if (cut_component(installed, "warpbook") && cut_component(installed, "libexec"))
        snprintf(dir, PATH_MAX, "%.*s/bin", PATH_MAX - 8, installed);
}

/* Path of the directory BELOW, relative to the directory of the workbook's program, in the arena of
 * H; NULL: there is none. */
static const char *path_beside_program(installation *h, const char *below)
{
    char program[PATH_MAX];
    find_program_directory(program);
    const char *path = arena_printf(&h->memory, "%s/%s", program, below);
    OWNED char *real = realpath(path, NULL);
    path = real && file_is_dir(real) ? arena_strdup(&h->memory, real) : NULL;
    return path;
}

const char *installation_program(installation *h, const char *name)
{
    static const char *const places[] = {"build/libexec", "../libexec/warpbook", "libexec"};
    char program[PATH_MAX];
    const char *path = NULL;
    find_program_directory(program);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        path = arena_printf(&h->memory, "%s/%s/%s", program, places[i], name);
        if (file_exists(path))
            break;
    }
    return path;
}

const char *installation_data_path(installation *h, const char *below)
{
    return path_beside_program(h, arena_printf(&h->memory, "../%s", below));
}

/* Path of the emulator's library in DIR, in the arena of H; NULL: there is none, or DIR is NULL. */
static const char *emulator_library_in(installation *h, const char *dir)
{
    if (!dir)
        return NULL;
    OWNED char *pattern = xprintf("%s/libcudart.so.[0-9]*", dir);
    glob_t found;
    const char *library = NULL;
    if (glob(pattern, 0, NULL, &found) == 0) {
        library = arena_strdup(&h->memory, found.gl_pathv[found.gl_pathc - 1]);
        globfree(&found);
    }
    return library;
}

const char *emulator_path(installation *h)
{
    if (h->emulator)
        return h->emulator;
    h->emulator = installation_path(h, "build/emulator");
    const char *places[] = {path_beside_program(h, "emulator"), h->emulator,
                            installation_data_path(h, "lib/warpbook")};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (emulator_library_in(h, places[i]))
            return h->emulator = places[i];
    return h->emulator;
}

bool installation_open(installation *h, const char *root, char *err, size_t err_size)
{
    *h = (installation){0};
    char dir[PATH_MAX];
    const char *said_by = "--root";
    if (!root) {
        root = getenv("WARPBOOK_ROOT");
        said_by = "WARPBOOK_ROOT";
        if (root && !*root)
            root = NULL;
    }
    if (root) {
        if (!realpath(root, dir) || !has_chapters_directory(dir))
            return fails(err, err_size, "%s is set to %s, which has no directory chapters", said_by,
                         root);
    } else {
        ssize_t n = readlink("/proc/self/exe", dir, sizeof dir - 1);
        dir[n > 0 ? n : 0] = '\0';
        if (!find_workbook_above(dir) && !(getcwd(dir, sizeof dir) && find_workbook_above(dir)))
            return fails(
                err, err_size,
                "found no directory chapters above the program or the current directory; run "
                "this inside the workbook, give its directory with --root DIR, or make one with "
                "`warpbook book DIR`");
    }
    h->root = arena_strdup(&h->memory, dir);
    const char *work = getenv("WARPBOOK_WORK");
    h->build = work && *work ? arena_strdup(&h->memory, work) : installation_path(h, "build");
    const char *state = getenv("WARPBOOK_STATE");
    h->state =
        state && *state ? arena_strdup(&h->memory, state) : installation_path(h, ".warpbook");
    return true;
}

void installation_close(installation *h)
{
    arena_free(&h->memory);
}

char *installation_path(installation *h, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    OWNED char *below = xvprintf(format, args);
    va_end(args);
    return arena_printf(&h->memory, "%s/%s", h->root, below);
}

const char *installation_emulator_library(installation *h)
{
    return emulator_library_in(h, emulator_path(h));
}

const char *installation_tool(installation *h, const char *name)
{
    return arena_printf(&h->memory, "%s/%s", emulator_path(h), name);
}

const char *installation_short_path(const installation *h, const char *path)
{
    size_t n = strlen(h->root);
    return strncmp(path, h->root, n) == 0 && path[n] == '/' ? path + n + 1 : path;
}
