/* JSON text. */
#include "control.h"

void step_json(FILE *to, const char *text)
{
    putc('"', to);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\') {
            fprintf(to, "\\%c", *c);
        } else if (*c == '\n') {
            fputs("\\n", to);
        } else if (*c < 0x20) {
            fprintf(to, "\\u%04x", *c);
        } else {
            putc(*c, to);
        }
    }
    putc('"', to);
}
