/* The files of one submitted archive or directory (an "upload"). Archives come from students, so
 * they are unpacked in memory only, and nothing is written to disk. Only regular files count,
 * within limits on number, size and compression ratio; only texts with a TODO region are stored. */
#pragma once

#include "../base/text.h"

#include <stdint.h>

enum {
    UPLOAD_FILES = 20000,        /* maximum number of entries in one upload, directories included */
    UPLOAD_DEPTH = 32,           /* maximum depth of nested directories */
    UPLOAD_PATH = 1024,          /* maximum number of bytes of a path */
    UPLOAD_TEXT = 1 << 20,       /* maximum number of bytes of a text that can be graded */
    UPLOAD_LIST_TEXT = 32 << 20, /* maximum number of bytes of Gradescope's list UPLOAD_LIST */
    UPLOAD_KEPT = 128 << 20,     /* maximum number of bytes of all stored texts */
    UPLOAD_BYTES = 1 << 30, /* maximum number of bytes to which the entries of an archive unpack */
    UPLOAD_RATIO = 200,     /* maximum ratio of unpacked to packed bytes, checked after
                             * UPLOAD_UNCHECKED_BYTES unpacked bytes */
    UPLOAD_UNCHECKED_BYTES = 16 << 20, /* unpacked bytes up to which UPLOAD_RATIO is not checked */
    UPLOAD_ARCHIVE = 512 << 20,        /* maximum number of bytes of an archive */
};

/* The list of folders in a Gradescope export, whose text is stored too. */
#define UPLOAD_LIST "submission_metadata.yml" /* name of the file with the list */

typedef struct upload_file {
    const char *path; /* path below the upload's root, with /; never absolute, without . and .. */
    const char *text; /* text of a file that has a TODO region or is a UPLOAD_LIST; else NULL */
    size_t length;    /* length of the text in bytes */
    const char *refused; /* why the file was not read, such as "is a link"; or NULL */
    int64_t time;        /* last change or submission, seconds since 1970; 0: not known */
} upload_file;

typedef struct upload {
    arena memory;       /* holds the files' paths and texts */
    upload_file *files; /* [count] the files of the archive or directory */
    size_t count;       /* number of files */
    size_t kept;        /* bytes of texts stored so far */
    size_t outside;     /* number of entries omitted because their path leads out of the upload */
} upload;

/* True: the bytes begin an archive that upload_archive can read: zip, tar, or tar compressed with
 * gzip, bzip2 or xz. A tar needs at least 512 bytes. */
bool upload_is_archive(const void *bytes, size_t length);

/* Add the files of an archive, with PREFIX (may be "") before each path. TIME: time of all files;
 * 0: use the times in the archive. False with a sentence in ERR, without the archive's name: the
 * archive is damaged or exceeds a limit; files read before that stay in the upload. */
bool upload_archive(upload *p, const void *bytes, size_t length, const char *prefix, int64_t time,
                    char *err, size_t err_size);

/* Add the files below the directory PATH; links are not followed. An archive below it counts as a
 * directory named after the archive, without extension. False with a sentence in ERR. */
bool upload_directory(upload *p, const char *path, char *err, size_t err_size);

void upload_free(upload *p);

/* Length of NAME without an archive's or a text's extension: that of "alice" for alice.tar.gz. */
size_t length_without_extension(const char *name);
