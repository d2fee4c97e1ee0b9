/* The program warpbook: the workbook, which runs, checks, shows and plots the labs, and starts the
 * other programs. */
#include "../base/linear.h"
#include "../commands/program.h"
#include "../screen/screen.h"
#include "../term/terminal.h"
#include "study.h"

#include <unistd.h>

static const command_handler handlers[] = {
    {"list", cli_list},   {"history", cli_history}, {"lesson", cli_lesson},
    {"run", cli_run},     {"check", cli_check},     {"plot", cli_plot},
    {"hint", cli_hint},   {"quiz", cli_quiz},       {"solution", cli_solution},
    {"reset", cli_reset}, {"watch", cli_watch},     {"break", cli_break},
    {"book", cli_book},   {"doctor", cli_doctor},   {NULL, NULL},
};

/* The screen, or on a terminal that cannot show it the same as text. */
static int open_workbook(session *d)
{
    if (is_output_linear() && isatty(STDIN_FILENO))
        return cli_dialog(d, handlers);
    return screen_can_be_shown() ? screen_run(d) : cli_tour(d);
}

int main(int argc, char **argv)
{
    return program_main(&(program){"study", handlers, open_workbook}, argc, argv);
}
