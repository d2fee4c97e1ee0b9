/* The program warpbook: the workbook's screen. Its commands are programs that it starts. */
#include "../commands/program.h"
#include "../term/terminal.h"
#include "screen.h"

/* On a terminal that cannot show the screen, warpbook-study shows the same as text. */
static const char *program_without_command(void)
{
    return screen_can_be_shown() ? NULL : "study";
}

int main(int argc, char **argv)
{
    static const command_handler none[] = {{NULL, NULL}};
    return program_main(&(program){"warpbook", none, screen_run, program_without_command}, argc,
                        argv);
}
