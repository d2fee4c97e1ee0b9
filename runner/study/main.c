/* The program warpbook-study: the commands of a student, and the workbook as text. */
#include "../base/linear.h"
#include "../commands/program.h"
#include "study.h"

#include <unistd.h>

static const command_handler handlers[] = {
    {"list", cli_list},   {"history", cli_history}, {"lesson", cli_lesson},
    {"run", cli_run},     {"check", cli_check},     {"plot", cli_plot},
    {"hint", cli_hint},   {"quiz", cli_quiz},       {"solution", cli_solution},
    {"reset", cli_reset}, {"watch", cli_watch},     {"break", cli_break},
    {"book", cli_book},   {"doctor", cli_doctor},   {NULL, NULL},
};

/* The workbook on a terminal that cannot show its screen. */
static int open_as_text(session *d)
{
    return is_output_linear() && isatty(STDIN_FILENO) ? cli_dialog(d, handlers) : cli_tour(d);
}

int main(int argc, char **argv)
{
    return program_main(
        &(program){.name = "study", .handlers = handlers, .without_command = open_as_text}, argc,
        argv);
}
