/* Reads any bytes as an archive of students' submissions: this must neither crash nor read past the
 * end; paths must not leave the archive, and sizes of texts and numbers of files must not exceed
 * their limits.
 *
 * With clang -fsanitize=fuzzer this is a libFuzzer target. Built with FUZZ_MAIN it runs alone:
 * fuzz_submissions [COUNT [SEED]] tries COUNT (default 4000) inputs made from a seed. */
#include "fuzz.h"
#include "runner/class/submissions.h"
#include "runner/class/upload.h"

#include <stdio.h>
#include <string.h>

static const char lab_text[] = "int first;\n// TODO 1 (about 1 line): do it\nanswer();\n"
                               "// END TODO 1\nint last;\n";

static void check_path(const char *path)
{
    if (!*path || *path == '/')
        abort();
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "../", 3) == 0 || strcmp(part, "..") == 0)
            abort();
    }
}

/* Check a text that is shown to people: it must have no control characters. */
static void check_is_printable(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7F)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    upload p = {0};
    submissions h = {0};
    char err[256] = "";
    /* An allocation of the exact size, so that a sanitizer detects overruns. */
    char *copy = malloc(size ? size : 1);
    if (!copy)
        return 0;
    memcpy(copy, data, size);
    upload_is_archive(copy, size);
    if (!upload_archive(&p, copy, size, "", 0, err, sizeof err) && !*err)
        abort();
    if (p.count > UPLOAD_FILES)
        abort();
    for (size_t i = 0; i < p.count; i++) {
        check_path(p.files[i].path);
        if (p.files[i].length > UPLOAD_LIST_TEXT || (p.files[i].text && p.files[i].refused))
            abort();
    }
    submissions_add_upload(&h, &p, "class.zip", true, lab_text, NULL);
    submissions_keep_last(&h);
    for (size_t i = 0; i < h.count; i++) {
        check_is_printable(h.list[i].from);
        if (!h.list[i].text == !h.list[i].problem)
            abort();
    }
    submissions_free(&h);
    upload_free(&p);
    free(copy);
    return 0;
}

#ifdef FUZZ_MAIN

#include <archive.h>
#include <archive_entry.h>

FUZZ_STATE;

enum { KINDS = 4, BYTES = 1 << 16 }; /* kinds of archives; maximum size of an archive */

static const char gradescope_list[] =
    "---\nalice:\n  :submitters:\n  - :name: \"Ada\"\n    :sid: '4'\n"
    "    :email: a@x.org\n  :created_at: 2026-11-20 10:00:00.6 Z\n";

static void add_archive_entry(struct archive *a, const char *path, unsigned type, const char *text)
{
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, path);
    archive_entry_set_filetype(e, type);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, type == AE_IFREG ? (int64_t)strlen(text) : 0);
    if (type == AE_IFLNK)
        archive_entry_set_symlink(e, text);
    archive_write_header(a, e);
    if (type == AE_IFREG)
        archive_write_data(a, text, strlen(text));
    archive_entry_free(e);
}

/* Write an archive of a kind into BYTES; return its length. */
static size_t make_archive(unsigned kind, char *bytes)
{
    size_t used = 0;
    struct archive *a = archive_write_new();
    if (kind == 0)
        archive_write_set_format_zip(a);
    else
        archive_write_set_format_pax_restricted(a);
    if (kind == 2)
        archive_write_add_filter_gzip(a);
    else if (kind == 3)
        archive_write_add_filter_xz(a);
    archive_write_set_bytes_in_last_block(a, 1);
    archive_write_open_memory(a, bytes, BYTES, &used);
    add_archive_entry(a, "class/alice/lab.cu", AE_IFREG, lab_text);
    add_archive_entry(a, "class/bob_12345_x.txt", AE_IFREG, lab_text);
    add_archive_entry(a, "class/../out.cu", AE_IFREG, lab_text);
    add_archive_entry(a, "class/carol/link", AE_IFLNK, "/etc/passwd");
    add_archive_entry(a, "class/carol/notes", AE_IFREG, "nothing");
    add_archive_entry(a, "class/" UPLOAD_LIST, AE_IFREG, gradescope_list);
    archive_write_close(a);
    archive_write_free(a);
    return used;
}

static char sample_archives[KINDS][BYTES]; /* a valid archive of each kind */
static size_t sample_lengths[KINDS];       /* length of each archive in bytes */

static size_t copy_random_sample(uint8_t *bytes)
{
    const unsigned kind = fuzz_random() % KINDS;
    memcpy(bytes, sample_archives[kind], sample_lengths[kind]);
    return sample_lengths[kind];
}

int main(int argc, char **argv)
{
    static uint8_t bytes[BYTES];
    for (unsigned kind = 0; kind < KINDS; kind++)
        sample_lengths[kind] = make_archive(kind, sample_archives[kind]);
    return fuzz_files(argc, argv, "fuzz_submissions", bytes, copy_random_sample, NULL);
}

#endif
