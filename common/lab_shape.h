/* Shapes of wrong results: twice the right ones, those of the neighbours, one too many. A shape is
 * named only where nine in ten of the wrong elements have it. */
#ifndef WARPBOOK_LAB_SHAPE_H
#define WARPBOOK_LAB_SHAPE_H

#include "lab_base.h"

/* The elements of an array NAME, and what they should be. */
struct lab_results {
    const char *name;
    const double *got, *want; /* [n] */
    long n;
    double tolerance;
    long first; /* index of the first wrong element */

    bool alike(double a, double b, double times = 1) const
    {
        return fabs(a - b) <= tolerance * times;
    }
};

/* How far from their place lab_texel() (lab_texture.h) fetches, in texels. */
struct lab_texel_shift {
    double x, y;
};

static inline lab_texel_shift &lab_texels_moved(void)
{
    static lab_texel_shift moved;
    return moved;
}

/* How well a shape fits: the number of wrong elements that have it; 0 unless nine in ten of those
 * that can be judged do. FITS(i) is 1, 0, or -1 where element i cannot be judged. */
template <class F> static long lab_fitting(const lab_results &r, F fits)
{
    long yes = 0, no = 0;
    for (long i = r.first; i < r.n; i++) {
        if (r.alike(r.got[i], r.want[i]))
            continue;
        const int fit = fits(i);
        yes += fit > 0;
        no += fit == 0;
    }
    return yes >= 9 * no ? yes : 0;
}

/* The number K of a case "n = 33, block = 64" that is called so; its name's length in *LENGTH.
 * NULL: none. */
static inline const char *lab_case_of(const char *context, long k, int *length)
{
    for (const char *at = context; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 2 : NULL) {
        const char *equals = strstr(at, " = ");
        if (!equals)
            break;
        *length = (int)(equals - at);
        if (strtol(equals + 3, NULL, 10) == k)
            return at;
    }
    return NULL;
}

/* Elements that are K times as large as they should be, or half as large. */
static inline bool lab_say_multiple(const lab_results &r, char *words, size_t room)
{
    long at = r.first;
    while (at < r.n && (r.alike(r.got[at], r.want[at]) || r.alike(r.want[at], 0)))
        at++;
    if (at == r.n)
        return false;
    auto half = [&](long i) { return r.alike(2 * r.got[i], r.want[i], 2) && r.got[i] != 0; };
    if (lab_fitting(r, half)) {
        snprintf(words, room, ": that is half the right value.");
        return true;
    }
    const double ratio = rint(r.got[at] / r.want[at]);
    if (!(ratio >= 2 && ratio <= 1 << 20))
        return false;
    const long times = (long)ratio;
    const long fit =
        lab_fitting(r, [&](long i) { return r.alike(r.got[i], ratio * r.want[i], ratio); });
    int length = 0;
    const char *name = lab_case_of(lab_run().context, times, &length);
    if (fit == 0 || (fit == 1 && times > 2 && !name))
        return false;
    if (times == 2)
        snprintf(words, room, ": that is twice the right value. Is it added twice?");
    else if (name)
        snprintf(words, room,
                 ": that is %ld times the right value, and %.*s is %ld. Is it added %ld times?",
                 times, length, name, times, times);
    else
        snprintf(words, room, ": that is %ld times the right value. Is it added %ld times?", times,
                 times);
    return true;
}

/* Whole numbers that are all one too many, or one too few. Flags, 0 or 1, count nothing. */
static inline bool lab_say_one_off(const lab_results &r, char *words, size_t room)
{
    bool flags = true;
    for (long i = 0; i < r.n; i++)
        flags &= r.want[i] == 0 || r.want[i] == 1;
    for (int off = 1; off >= -1 && !flags; off -= 2) {
        auto fits = [&](long i) {
            return off < 0 && r.got[i] == 0 ? -1 : r.got[i] - r.want[i] == off;
        };
        if (!lab_fitting(r, fits))
            continue;
        snprintf(words, room,
                 off > 0 ? ": one too many. Is something counted once too often?"
                         : ": one too few. Is something left out?");
        return true;
    }
    return false;
}

/* The element within 8 of element I whose value it has; -1: none. */
static inline long lab_neighbour(const lab_results &r, long i)
{
    for (long far = 1; far <= 8; far++)
        for (int side = -1; side <= 1; side += 2) {
            const long j = i + side * far;
            if (j >= 0 && j < r.n && r.alike(r.got[i], r.want[j]))
                return j;
        }
    return -1;
}

/* Elements that have the values of their neighbours. A few elements could have them by chance,
 * unless no other element should have such a value. */
static inline bool lab_say_neighbour(const lab_results &r, char *words, size_t room)
{
    const long j = lab_neighbour(r, r.first);
    if (j < 0)
        return false;
    const long all = lab_fitting(r, [&](long i) { return lab_neighbour(r, i) >= 0; });
    const long d = j - r.first;
    const long far = lab_fitting(r, [&](long i) {
        return i + d < 0 || i + d >= r.n ? -1 : r.alike(r.got[i], r.want[i + d]);
    });
    long owners = 0; /* elements that should have the value of the first wrong one */
    for (long i = 0; i < r.n; i++)
        owners += r.alike(r.got[r.first], r.want[i]);
    if ((!all && !far) || (owners > 1 && (!far || far < 4)))
        return false;
    snprintf(words, room, ": that is what belongs in %s[%ld]. Is the index right?", r.name, j);
    return true;
}

/* Values of a texture half a texel from where they should be: EXPECTED computes others once
 * lab_texel() fetches from there. */
template <class F>
static bool lab_say_half_texel(const lab_results &r, char *words, size_t room, F expected)
{
    lab_texel_shift &moved = lab_texels_moved();
    for (int way = 0; way < 9; way++) {
        if (way == 4)
            continue;
        moved = {way % 3 * 0.5 - 0.5, way / 3 * 0.5 - 0.5};
        const bool fits =
            lab_fitting(r, [&](long i) { return r.alike(r.got[i], (double)expected(i)); }) > 0;
        const char *across = moved.x < 0 ? "to the left" : moved.x > 0 ? "to the right" : "";
        const char *down = moved.y < 0 ? "above" : moved.y > 0 ? "below" : "";
        moved = {0, 0};
        if (!fits)
            continue;
        snprintf(words, room, ": that is half a texel %s%s%s. The middle of texel x is at x + 0.5.",
                 across, *across && *down ? " and " : "", down);
        return true;
    }
    return false;
}

/* Name the shape of wrong results R, of which those of WHOLE numbers can be one too many: the words
 * that follow "out[3] is 7, expected 9". */
template <class F>
static bool lab_say_shape(const lab_results &r, bool whole, char *words, size_t room, F expected)
{
    if (lab_fitting(r, [&](long i) { return r.alike(r.got[i], -r.want[i]) && r.got[i] != 0; })) {
        snprintf(words, room, ": the right size with the wrong sign.");
        return true;
    }
    return lab_say_multiple(r, words, room) || (whole && lab_say_one_off(r, words, room)) ||
           lab_say_neighbour(r, words, room) || lab_say_half_texel(r, words, room, expected);
}

#endif
