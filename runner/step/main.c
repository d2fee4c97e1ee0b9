/* The program warpbook-step: walks through a recorded run. */
#include "../commands/program.h"
#include "step.h"

int main(int argc, char **argv)
{
    static const command_handler handlers[] = {{"step", cli_step}, {NULL, NULL}};
    return program_main(&(program){.name = "step", .handlers = handlers}, argc, argv);
}
