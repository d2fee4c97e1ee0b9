/* Files and paths. A function that fails returns false or NULL and sets errno; a function with a
 * parameter ERR also writes a sentence there. */
#pragma once

#include "text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A whole file, NUL-terminated, to be freed; *LEN (may be NULL): its length. NULL: the file cannot
 * be read, is larger than LIMIT bytes (errno EFBIG), or is not a regular file (EINVAL). */
char *read_whole_file(const char *path, size_t limit, size_t *len);
/* Like read_whole_file, but returns the first LIMIT bytes of a larger file and sets *MORE. */
char *read_file_start(const char *path, size_t limit, size_t *len, bool *more);

/* Write a new file next to PATH, sync it, and rename it to PATH: a reader sees the old text or the
 * new text, and a full disk leaves the old text. */
bool write_whole_file(const char *path, const char *bytes, size_t len);

/* What follows the last slash of PATH; all of it if there is none. */
const char *file_name_of(const char *path);
bool file_exists(const char *path);
bool file_is_dir(const char *path);
/* Identifies the version of the file by inode and time; 0: no such file. Files are replaced, not
 * changed in place. */
unsigned long long file_version(const char *path);
/* True: both files exist, and PATH was modified after THAN. */
bool file_is_newer(const char *path, const char *than);
/* Create the directory DIR and its missing parents. */
bool make_directories(const char *dir);

/* Path of the program NAME, found on PATH (or NAME itself if it contains a slash), to be freed;
 * NULL: not found. */
char *find_program(const char *name);

/* FNV-1a hash of bytes. SEED is HASH_INITIAL_VALUE or the hash of preceding bytes. */
#define HASH_INITIAL_VALUE 0xcbf29ce484222325u
uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t len);
/* FNV-1a hash of the path PATH followed by the content of its file. If the file cannot be read or
 * is larger than LIMIT bytes, only the path is hashed. */
uint64_t hash_file(uint64_t seed, const char *path, size_t limit);
/* Like hash_file, but it remembers the hash of the file of the last call, and does not read this
 * file again while it is unchanged. */
uint64_t hash_large_file(uint64_t seed, const char *path, size_t limit);
/* The names in DIR that do not begin with a dot, sorted; in A. */
const char **directory_names(arena *a, const char *dir, size_t *count);
/* A hash of all files directly in DIR with these names. */
uint64_t hash_directory(uint64_t seed, const char *dir, size_t limit);

/* Local time in the form 20261121-014500, for the names of files that are kept. */
void local_time_stamp(char out[32]);

/* Close *FD if it is open; it becomes -1. */
void close_descriptor(int *fd);
