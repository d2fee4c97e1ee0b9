#include "large.h"

#include "../base/text.h"

#include <string.h>

/* A letter is drawn in 5 x 8 points, the last row of them for what hangs below the line. Four
 * points, two by two, are one character of the terminal. */
enum { POINTS = 5, POINT_ROWS = 8, STEP = POINTS + 1, FIRST = 32, IN_A_BAND = 19 };

/* The letters from the blank on, 19 in a band of 8 rows, a blank column between two. */
static const char *const bands[] = {
    "        #    # #   # #    #   ##     #      #      #   #      #                               "
    "   ###    #    ### ",
    "        #    # #   # #   #### ##  # # #     #     #     #   # # #   #                         "
    "# #   #  ##   #   #",
    "        #    # #  ##### # #      #  # #     #    #       #   ###    #                        "
    "#  #  ##   #       #",
    "        #          # #   ###    #    #           #       #  ##### #####       #####         # "
    "  # # #   #     ## ",
    "        #         #####   # #  #    # # #        #       #   ###    #                      #  "
    "  ##  #   #    #   ",
    "                   # #  ####  #  ## #  #          #     #   # # #   #     #          ##   #   "
    "  #   #   #   #    ",
    "        #          # #    #      ##  ## #          #   #      #           #          ##       "
    "   ###   ###  #####",
    "                                                                         #                    "
    "                   ",

    "#####    #  #####   ##  #####  ###   ###                 #         #     ###   ###   ###  "
    "####   ###  ###   #####",
    "   #    ##  #      #        # #   # #   #  ##     #     #           #   #   # #   # #   # #   "
    "# #   # #  #  #    ",
    "  #    # #  ####  #        #  #   # #   #  ##     #    #    #####    #      # # ### #   # #   "
    "# #     #   # #    ",
    "   #  #  #      # ####    #    ###   ####             #               #    #  # # # #   # "
    "####  #     #   # #### ",
    "    # #####     # #   #  #    #   #     #  ##     #    #    #####    #    #   # ### ##### #   "
    "# #     #   # #    ",
    "#   #    #  #   # #   #  #    #   #    #   ##           #           #         #     #   # #   "
    "# #   # #  #  #    ",
    " ###     #   ###   ###   #     ###   ##           #      #         #      #    ###  #   # "
    "####   ###  ###   #####",
    "                                                 #                                            "
    "                   ",

    "#####  ###  #   #  ###    ### #   # #     #   # #   #  ###  ####   ###  ####   #### ##### #   "
    "# #   # #   # #   #",
    "#     #   # #   #   #      #  #  #  #     ## ## #   # #   # #   # #   # #   # #       #   #   "
    "# #   # #   # #   #",
    "#     #     #   #   #      #  # #   #     # # # ##  # #   # #   # #   # #   # #       #   #   "
    "# #   # #   #  # # ",
    "####  # ### #####   #      #  ##    #     # # # # # # #   # ####  #   # ####   ###    #   #   "
    "# #   # # # #   #  ",
    "#     #   # #   #   #      #  # #   #     #   # #  ## #   # #     # # # # #       #   #   #   "
    "# #   # # # #  # # ",
    "#     #   # #   #   #   #  #  #  #  #     #   # #   # #   # #     #  #  #  #      #   #   #   "
    "#  # #  # # # #   #",
    "#      #### #   #  ###   ##   #   # ##### #   # #   #  ###  #      ## # #   # ####    #    "
    "###    #    # #  #   #",
    "                                                                                              "
    "                   ",

    "#   # #####  ###         ###    #          #          #               #         ##        #   "
    "    #      #  #    ",
    "#   #     #  #    #        #   # #          #         #               #        #  #       #   "
    "              #    ",
    "#   #    #   #     #       #  #   #          #   ###  # ##   ###   ## #  ###   #     #### # "
    "##   ##     ##  #  # ",
    " # #    #    #      #      #                        # ##  # #     #  ## #   # ###   #   # ##  "
    "#   #      #  # #  ",
    "  #    #     #       #     #                     #### #   # #     #   # #####  #    #   # #   "
    "#   #      #  ##   ",
    "  #   #      #        #    #                    #   # #   # #   # #   # #      #     #### #   "
    "#   #      #  # #  ",
    "  #   #####  ###         ###        #####        #### ####   ###   ####  ###   #        # #   "
    "#  ###  #  #  #  # ",
    "                                                                                     ###      "
    "         ##        ",

    " ##                                              #                                           "
    "#    #    #         ",
    "  #                                              #                                          # "
    "    #     #        ",
    "  #   ## #  # ##   ###  ####   ## # # ##   ###  ###   #   # #   # #   # #   # #   # #####   # "
    "    #     #    #   ",
    "  #   # # # ##  # #   # #   # #  ## ##  # #      #    #   # #   # #   #  # #  #   #    #   #  "
    "    #      #  # # #",
    "  #   # # # #   # #   # #   # #   # #      ###   #    #   # #   # # # #   #   #   #   #     # "
    "    #     #      # ",
    "  #   #   # #   # #   # ####   #### #         #  #  # #  ##  # #  # # #  # #   ####  #      # "
    "    #     #        ",
    " ###  #   # #   #  ###  #         # #     ####    ##   ## #   #    # #  #   #     # #####    "
    "#    #    #         ",
    "                        #         #                                            ###            "
    "                   ",
};

static bool is_set(char letter, int x, int y)
{
    int at = letter - FIRST;
    const char *row = at < 0 ? NULL : bands[at / IN_A_BAND * POINT_ROWS + y];
    return row && row[at % IN_A_BAND * STEP + x] == '#';
}

static bool is_drawn(const char *text)
{
    for (; *text; text++)
        if (*text < FIRST || *text > '~')
            return false;
    return true;
}

/* Whether the point X, Y of the line TEXT is set, counted from its upper left. */
static bool point_of_text(const char *text, size_t length, size_t x, int y)
{
    return x / STEP < length && x % STEP < POINTS && is_set(text[x / STEP], (int)(x % STEP), y);
}

size_t large_width(const char *text)
{
    return is_drawn(text) ? strlen(text) * STEP / 2 : 0;
}

bool large_put(page *p, style how, const char *text, size_t columns)
{
    /* By the points that are set: upper left 1, upper right 2, lower left 4, lower right 8. */
    static const char *const blocks[] = {" ", "▘", "▝", "▀", "▖", "▌", "▞", "▛",
                                         "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█"};
    size_t width = large_width(text), length = strlen(text);
    if (!width || width > columns)
        return false;
    const size_t across = 2 * width <= columns ? 1 : 2; /* points in a column */
    for (int row = 0; row < LARGE_ROWS; row++) {
        styled line = {0};
        for (size_t column = 0; column < 2 * width / across; column++) {
            unsigned set = 0;
            for (unsigned i = 0; i < 4; i++) {
                size_t x = across * column + (across == 2 ? i % 2 : 0);
                set |= (unsigned)point_of_text(text, length, x, 2 * row + (int)i / 2) << i;
            }
            styled_puts(&line, how, blocks[set]);
        }
        page_push(p, &line);
    }
    return true;
}
