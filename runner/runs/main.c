/* The program warpbook-runs: runs labs for the screen, and makes the pages about their runs. */
#include "../commands/program.h"
#include "serve.h"

int main(int argc, char **argv)
{
    static const command_handler none[] = {{NULL, NULL}};
    return program_main(
        &(program){.name = "runs", .handlers = none, .without_command = serve_screen}, argc, argv);
}
