/* The program warpbook-page: a run as one HTML file. */
#include "../commands/program.h"
#include "page.h"

int main(int argc, char **argv)
{
    static const command_handler handlers[] = {{"page", cli_page}, {NULL, NULL}};
    return program_main(&(program){.name = "page", .handlers = handlers}, argc, argv);
}
