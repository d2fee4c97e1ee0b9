/* The program warpbook-grade: grades submissions, and serves a class. */
#include "../commands/program.h"
#include "grade.h"

int main(int argc, char **argv)
{
    static const command_handler handlers[] = {
        {"grade", cli_grade}, {"similar", cli_similar}, {"export", cli_export}, {NULL, NULL}};
    return program_main(&(program){.name = "grade", .handlers = handlers}, argc, argv);
}
