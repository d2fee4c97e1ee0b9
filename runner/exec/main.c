/* The program warpbook-exec: runs programs, explains source files, repeats recorded runs. */
#include "../commands/program.h"
#include "exec.h"

int main(int argc, char **argv)
{
    static const command_handler handlers[] = {
        {"exec", cli_exec}, {"explain", cli_explain}, {"replay", cli_replay}, {NULL, NULL}};
    return program_main(&(program){.name = "exec", .handlers = handlers}, argc, argv);
}
