/* Markdown, parsed by libcmark-gfm. */
#pragma once

#include <cmark-gfm.h>
#include <stdbool.h>

/* TEXT as CommonMark with GitHub's tables; to be freed with cmark_node_free. */
cmark_node *markdown_parse(const char *text);

/* Whether NODE is the heading of the section NAME: `## NAME`. */
bool markdown_begins_section(cmark_node *node, const char *name);

/* The source of the section NAME without its heading; "" if TEXT has none. To be freed. */
char *markdown_section(const char *text, const char *name);

/* Whether NODE has the type named TYPE. Needed for "table" and the like, which have no constant. */
bool markdown_has_type(cmark_node *node, const char *type);
