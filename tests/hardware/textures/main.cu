/* Fetches from textures and surfaces of every kind, with coordinates that are the same each time.
 *
 *   textures record FILE    write what this device makes
 *   textures compare FILE   print TAP: one line a case, with the first words that differ
 *   textures list
 *
 * FILE has a line for each case: its name, a tab, and its words in hexadecimal. Where a call failed
 * the name begins with ! and the call stands behind the tab. */
#include "textures.h"

#include <cmath>
#include <map>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static std::vector<Case> cases;

void add(const std::string &name, std::function<Words()> make, double within, size_t some)
{
    cases.push_back({name, make, within, some});
}

// Nothing, and why, where a call failed.
static Words run(const Case &c, std::string &why)
{
    try {
        return c.make();
    } catch (const std::string &call) {
        cudaGetLastError();
        why = call;
        return {};
    }
}

// Cases from *NEXT on, until a fault takes the device away.
static int record_some(FILE *f, volatile size_t *next)
{
    while (*next < cases.size()) {
        const Case &c = cases[(*next)++];
        std::string why;
        const Words w = run(c, why);
        if (w.empty()) {
            fprintf(f, "!%s\t%s\n", c.name.c_str(), why.c_str());
            fprintf(stderr, "%s: %s\n", c.name.c_str(), why.c_str());
            fflush(f);
            return 1;
        }
        fprintf(f, "%s\t", c.name.c_str());
        for (size_t k = 0; k < w.size(); k++)
            fprintf(f, k ? " %x" : "%x", w[k]);
        fputc('\n', f);
        fflush(f);
    }
    return 0;
}

// Where a case faults, the rest goes to a new process: the fault stays with the one that had it.
static int record(const char *path)
{
    volatile size_t *next = (size_t *)mmap(nullptr, sizeof *next, PROT_READ | PROT_WRITE,
                                           MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    FILE *f = fopen(path, "w");
    if (!f || next == MAP_FAILED) {
        perror(path);
        return 1;
    }
    int missing = 0;
    while (*next < cases.size()) {
        fflush(f);
        const pid_t child = fork();
        if (child == 0)
            _exit(record_some(f, next));
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) < 0) {
            perror("fork");
            return 1;
        }
        missing += status != 0;
    }
    if (missing)
        fprintf(stderr, "%d of %zu cases gave nothing\n", missing, cases.size());
    return fclose(f) != 0 || missing > 0;
}

static float number(uint32_t w)
{
    float x;
    memcpy(&x, &w, 4);
    return x;
}

static int compare(const char *path)
{
    FILE *f = fopen(path, "r");
    if (!f) {
        perror(path);
        return 2;
    }
    std::map<std::string, Words> want;
    char *line = nullptr;
    size_t room = 0;
    while (getline(&line, &room, f) > 0) {
        char *tab = strchr(line, '\t');
        if (!tab)
            continue;
        *tab = 0;
        Words &w = want[line];
        for (char *p = tab + 1; *line != '!' && *p && *p != '\n';) {
            w.push_back((uint32_t)strtoul(p, &p, 16));
            p += *p == ' ';
        }
    }
    free(line);
    fclose(f);
    int n = 0, bad = 0;
    for (const Case &c : cases) {
        n++;
        if (want.count("!" + c.name)) {
            printf("ok %d - %s # SKIP the GPU's library refused a call\n", n, c.name.c_str());
            continue;
        }
        auto it = want.find(c.name);
        if (it == want.end()) {
            printf("not ok %d - %s\n# not in the recording\n", n, c.name.c_str());
            bad++;
            continue;
        }
        std::string why;
        const Words got = run(c, why), &ref = it->second;
        size_t off = 0, near = 0, first = 0;
        for (size_t k = 0; k < ref.size() && k < got.size(); k++) {
            if (got[k] == ref[k])
                continue;
            if (fabs((double)number(got[k]) - number(ref[k])) <= c.within)
                near++;
            else if (!off++)
                first = k;
        }
        off += near > c.some ? near : 0;
        if (got.size() == ref.size() && !off) {
            printf("ok %d - %s\n", n, c.name.c_str());
            if (near)
                printf("# %zu of %zu words within %g\n", near, ref.size(), c.within);
            continue;
        }
        bad++;
        printf("not ok %d - %s\n", n, c.name.c_str());
        if (got.empty())
            printf("# %s\n", why.c_str());
        else if (got.size() != ref.size())
            printf("# %zu words, the GPU gave %zu\n", got.size(), ref.size());
        else
            printf("# %zu of %zu words differ, first word %zu: %x (%.9g), the GPU %x (%.9g)\n", off,
                   ref.size(), first, got[first], number(got[first]), ref[first],
                   number(ref[first]));
    }
    printf("1..%d\n", n);
    return bad != 0;
}

int main(int argc, char **argv)
{
    add_texture_cases();
    add_filter_cases();
    add_surface_cases();
    add_formatted_cases();
    add_reduction_cases();
    add_texture_questions();
    add_surface_questions();
    add_whole_cases();
    add_limit_cases();
    add_edge_cases();
    if (argc == 2 && !strcmp(argv[1], "list")) {
        for (const Case &c : cases)
            puts(c.name.c_str());
        return 0;
    }
    if (argc == 3 && !strcmp(argv[1], "record"))
        return record(argv[2]);
    if (argc == 3 && !strcmp(argv[1], "compare"))
        return compare(argv[2]);
    fprintf(stderr, "usage: textures list | record FILE | compare FILE\n");
    return 2;
}
