/* The program warpbook-dev: tasks for developers of warpbook. */
#include "../commands/program.h"
#include "dev.h"

int main(int argc, char **argv)
{
    static const command_handler handlers[] = {{"dev", cli_dev}, {NULL, NULL}};
    return program_main(&(program){.name = "dev", .handlers = handlers}, argc, argv);
}
