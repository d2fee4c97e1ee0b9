/* The program warpbook-slides: chapters as slides. */
#include "../commands/program.h"
#include "demo.h"

int main(int argc, char **argv)
{
    static const command_handler handlers[] = {{"demo", cli_demo}, {NULL, NULL}};
    return program_main(&(program){.name = "slides", .handlers = handlers}, argc, argv);
}
