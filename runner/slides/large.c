#include "large.h"

#include <string.h>

/* A letter is drawn in 5 x 8 points, the lowest row for parts below the base line. One character of
 * the terminal shows 2 x 2 points. */
enum {
    LETTER_POINTS = 5,               /* width of a letter in points */
    POINT_ROWS = 8,                  /* height of a letter in points */
    LETTER_STEP = LETTER_POINTS + 1, /* distance between two letters in points */
    FIRST_LETTER = 32,    /* ASCII code of the blank, the first letter in the table of letters */
    LETTERS_PER_BAND = 19 /* number of letters side by side in the table of letters */
};

/* The letters from the blank on, 19 in a band of 8 rows, a blank column between two. */
static const char *const letter_bands[] = {
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

static bool is_point_set(char letter, int x, int y)
{
    int at = letter - FIRST_LETTER;
    const char *row = at < 0 ? NULL : letter_bands[at / LETTERS_PER_BAND * POINT_ROWS + y];
    return row && row[at % LETTERS_PER_BAND * LETTER_STEP + x] == '#';
}

static bool has_only_known_letters(const char *text)
{
    for (; *text; text++)
        if (*text < FIRST_LETTER || *text > '~')
            return false;
    return true;
}

/* Whether the point X, Y of the line TEXT is set, counted from its upper left. */
static bool point_of_text(const char *text, size_t length, size_t x, int y)
{
    return x / LETTER_STEP < length && x % LETTER_STEP < LETTER_POINTS &&
           is_point_set(text[x / LETTER_STEP], (int)(x % LETTER_STEP), y);
}

size_t large_text_width(const char *text)
{
    return has_only_known_letters(text) ? strlen(text) * LETTER_STEP / 2 : 0;
}

bool add_large_text(page *p, style how, const char *text, size_t columns)
{
    /* By the points that are set: upper left 1, upper right 2, lower left 4, lower right 8. */
    static const char *const blocks[] = {" ", "▘", "▝", "▀", "▖", "▌", "▞", "▛",
                                         "▗", "▚", "▐", "▜", "▄", "▙", "▟", "█"};
    size_t width = large_text_width(text), length = strlen(text);
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
        page_add_line(p, &line);
    }
    return true;
}
