#include "suppress.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MAX_SUPPRESSIONS = 200, /* most rules in a file */
    RULE_BYTES = 300        /* size of the buffer for a rule's pattern */
};

typedef struct suppress_rule {
    char kind[20], pattern[RULE_BYTES]; /* kind of report, or "*"; what the report must match */
} suppress_rule;

static suppress_rule *suppress_rules; /* the rules of the file WARPBOOK_SUPPRESS */
static size_t rule_count;             /* entries used in `suppress_rules` */

/* Parse one line of the file and add its rule. False: ERR says what is wrong with the line. An
 * empty line adds no rule. */
static bool add_rule(char *line, unsigned number, const char *path, char *err, size_t size)
{
    suppress_rule r = {0};
    char rest[2];
    line[strcspn(line, "#\r\n")] = '\0';
    const int fields = sscanf(line, "%19s %299s %1s", r.kind, r.pattern, rest);
    if (fields < 1)
        return true;
    if (fields != 2) {
        snprintf(
            err, size,
            "WARPBOOK_SUPPRESS: %s:%u: a line is a kind and a pattern, such as \"race sum*\" or "
            "\"host lab.cu:42\"",
            path, number);
        return false;
    }
    if (rule_count == MAX_SUPPRESSIONS) {
        snprintf(err, size, "WARPBOOK_SUPPRESS: %s has more than %d rules", path, MAX_SUPPRESSIONS);
        return false;
    }
    suppress_rules[rule_count++] = r;
    return true;
}

bool san_read_suppressions(const char *path, char *err, size_t size)
{
    struct stat is;
    char line[RULE_BYTES + 100];
    rule_count = 0;
    if (!path)
        return true;
    errno = 0;
    if (stat(path, &is) || !S_ISREG(is.st_mode)) {
        snprintf(err, size, "WARPBOOK_SUPPRESS: cannot read %s: %s", path,
                 errno ? strerror(errno) : "it is not a regular file");
        return false;
    }
    FILE *f = fopen(path, "r");
    suppress_rules =
        suppress_rules ? suppress_rules : calloc(MAX_SUPPRESSIONS, sizeof *suppress_rules);
    bool good = f && suppress_rules;
    for (unsigned number = 1; good && fgets(line, sizeof line, f); number++)
        good = add_rule(line, number, path, err, size);
    if (!f || !suppress_rules)
        snprintf(err, size, "WARPBOOK_SUPPRESS: cannot read %s: %s", path, strerror(errno));
    if (f)
        fclose(f);
    return good;
}

bool san_is_report_suppressed(const char *kind, const char *name, const char *path, uint32_t line)
{
    char place[400] = "";
    const char *file = path ? basename(path) : NULL;
    if (file && line)
        snprintf(place, sizeof place, "%s:%u", file, line);
    for (size_t k = 0; k < rule_count; k++) {
        const suppress_rule *r = &suppress_rules[k];
        const bool of_kind = strcmp(r->kind, "*") == 0 || strcmp(r->kind, kind) == 0;
        if (of_kind && ((name && fnmatch(r->pattern, name, 0) == 0) ||
                        (file && fnmatch(r->pattern, file, 0) == 0) ||
                        (place[0] && fnmatch(r->pattern, place, 0) == 0)))
            return true;
    }
    return false;
}
