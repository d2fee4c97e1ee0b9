/* Values as JSON. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* How reals are written for users: 0.006 as such, not as the 17 digits of the nearest double. */
#define JSON_USUAL_DIGITS JSON_REAL_PRECISION(15)

/* S as a JSON string; bytes that are not UTF-8 become U+FFFD, as JSON is Unicode. NULL: null. */
json_t *text_json(const char *s);
/* Like text_json, and an empty text is null too. */
json_t *nonempty_json(const char *s);
/* S, which is untrusted, as append_sanitized has it. */
json_t *sanitized_json(const char *s, bool lines);
/* The text of member NAME of OBJECT; NULL: it has none. */
const char *member_text(const json_t *object, const char *name);
/* V as JSON, without a fraction if it has none; null: it is not finite. */
json_t *number_json(double v);
/* N, a number counted from 1, as JSON; null: there is none. */
json_t *line_json(int n);
/* Print JSON to standard output, and release it. */
void print_json(json_t *json);
