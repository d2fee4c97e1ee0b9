/* Files and paths. Functions that may fail return false or NULL and leave errno; those with ERR
 * also leave a sentence there. */
#ifndef WARPBOOK_FILES_H
#define WARPBOOK_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole file, NUL-terminated, to be freed; its length in *LEN where LEN is not NULL. NULL where
 * it cannot be read, is larger than LIMIT bytes (errno EFBIG), or is no regular file (EINVAL). */
char *file_read(const char *path, size_t limit, size_t *len);
/* The same, but of a larger file its first LIMIT bytes, with *MORE set. */
char *file_head(const char *path, size_t limit, size_t *len, bool *more);

/* Write beside PATH, sync, rename: a reader sees the old text or the new one, a full disk leaves
 * the old one. */
bool file_write(const char *path, const char *bytes, size_t len);

bool file_exists(const char *path);
bool file_is_dir(const char *path);
/* Whether both are there and PATH was changed after THAN. */
bool file_is_newer(const char *path, const char *than);
/* Make DIR and what is missing above it. */
bool dirs_make(const char *dir);

/* The program NAME on PATH (or NAME itself where it holds a slash), to be freed; NULL: none. */
char *program_find(const char *name);

/* FNV-1a of bytes, to be continued from SEED (HASH_START). */
#define HASH_START 0xcbf29ce484222325u
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t len);
/* The same of PATH, the name and then the content; of a file that cannot be read or has over LIMIT
 * bytes, the name alone. */
uint64_t hash_file(uint64_t seed, const char *path, size_t limit);
/* A hash of all files directly in DIR whose names do not begin with a dot, in the order of their
 * names. */
uint64_t hash_directory(uint64_t seed, const char *dir, size_t limit);

/* Local time as 20261121-014500, for names of files that are kept. */
void time_stamp(char out[32]);

#endif
