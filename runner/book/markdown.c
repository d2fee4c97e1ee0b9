#include "markdown.h"

#include "../base/text.h"

#include <cmark-gfm-core-extensions.h>
#include <limits.h>
#include <string.h>

cmark_node *markdown_parse(const char *text)
{
    cmark_gfm_core_extensions_ensure_registered();
    cmark_parser *parser = cmark_parser_new(CMARK_OPT_VALIDATE_UTF8);
    cmark_parser_attach_syntax_extension(parser, cmark_find_syntax_extension("table"));
    cmark_parser_feed(parser, text, strlen(text));
    cmark_node *document = cmark_parser_finish(parser);
    cmark_parser_free(parser);
    return document;
}

bool markdown_has_type(cmark_node *node, const char *type)
{
    return strcmp(cmark_node_get_type_string(node), type) == 0;
}

bool markdown_begins_section(cmark_node *node, const char *name)
{
    cmark_node *text = cmark_node_first_child(node);
    const char *words = text ? cmark_node_get_literal(text) : NULL;
    return cmark_node_get_type(node) == CMARK_NODE_HEADING &&
           cmark_node_get_heading_level(node) == 2 && words && strcmp(words, name) == 0;
}

static char *lines_of_text(const char *text, int from, int to)
{
    sb out = {0};
    const char *line;
    size_t len;
    for (int number = 1; number <= to && (line = next_line(&text, &len)); number++)
        if (number >= from)
            sb_printf(&out, "%.*s\n", (int)len, line);
    return sb_take(&out);
}

char *markdown_section(const char *text, const char *name)
{
    cmark_node *document = markdown_parse(text), *n = cmark_node_first_child(document);
    int from = 1, to = 0;
    while (n && !markdown_begins_section(n, name))
        n = cmark_node_next(n);
    if (n) {
        from = cmark_node_get_end_line(n) + 1, to = INT_MAX;
        while ((n = cmark_node_next(n)))
            if (cmark_node_get_type(n) == CMARK_NODE_HEADING &&
                cmark_node_get_heading_level(n) <= 2)
                break;
        if (n)
            to = cmark_node_get_start_line(n) - 1;
    }
    cmark_node_free(document);
    return lines_of_text(text, from, to);
}
