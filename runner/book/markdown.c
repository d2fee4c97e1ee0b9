#include "markdown.h"

#include <cmark-gfm-core-extensions.h>
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

bool markdown_is(cmark_node *node, const char *type)
{
    return strcmp(cmark_node_get_type_string(node), type) == 0;
}
