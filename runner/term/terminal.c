/* Checks whether this terminal can show the screen. A separate file, because term.h defines short
 * words as macros. */
#include "terminal.h"

#include "../base/linear.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <unistd.h>

bool screen_can_be_shown(void)
{
    const char *term = getenv("TERM");
    int code;
    if (is_output_linear())
        return false;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !term || strcmp(term, "dumb") == 0)
        return false;
    if (setupterm(term, STDOUT_FILENO, &code) != OK) {
        fprintf(stderr, "warpbook: this system does not know the terminal %s.\n", term);
        return false;
    }
    bool moves = cursor_address != NULL;
    del_curterm(cur_term);
    return moves;
}
