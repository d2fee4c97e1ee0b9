#include "run_page_text.h"

#include "../base/json.h"

/* Embed the file NAME of runner/page in the program, as the text asset_ID. */
#define EMBED_ASSET(id, name)                    \
    __asm__(".section .rodata\n"                 \
            ".local asset_" #id "\n"             \
            "asset_" #id ":\n"                   \
            ".incbin \"runner/page/" name "\"\n" \
            ".byte 0\n"                          \
            ".previous\n");                      \
    extern const char asset_##id[] __attribute__((visibility("hidden")));
EMBED_ASSET(head, "assets/head.html")
EMBED_ASSET(style, "assets/page.css")
EMBED_ASSET(body, "web/body.html")
EMBED_ASSET(script, "assets/page.js")

/* Append JSON so that HTML and scripts see none of its characters as their own: all that is not
 * ASCII is escaped by jansson, and these three, which only strings hold, here. */
static void add_harmless_json(sb *out, const char *json)
{
    for (const char *s = json; *s; s++)
        if (*s == '<' || *s == '>' || *s == '&')
            sb_printf(out, "\\u%04x", (unsigned)*s);
        else
            sb_add(out, s, 1);
}

void append_run_page(sb *out, const json_t *data)
{
    OWNED char *text = json_dumps(data, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_USUAL_DIGITS);
    sb_puts(out, asset_head);
    sb_puts(out, "<style>");
    sb_puts(out, asset_style);
    sb_puts(out, "</style>\n");
    sb_puts(out, asset_body);
    sb_puts(out, "<script type=\"application/json\" id=\"data\">");
    add_harmless_json(out, text ? text : "{}");
    sb_puts(out, "</script>\n<script>");
    sb_puts(out, asset_script);
    sb_puts(out, "</script>\n</body>\n</html>\n");
}
