/* The program warpbook-site: serves the pages of `make site`. */
#include "../commands/program.h"
#include "site.h"

int main(int argc, char **argv)
{
    static const command_handler handlers[] = {{"site", cli_site}, {NULL, NULL}};
    return program_main(&(program){.name = "site", .handlers = handlers}, argc, argv);
}
