/* Tokens of PTX text (PTX ISA 4).
 *
 * The text is NUL-terminated and outlives the lexer; tokens are slices of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kind of a token. For a one-character token it is the character. */
typedef enum ptx_token_kind {
    PTX_TOK_END,         /* end of the text */
    PTX_TOK_ERROR = 256, /* an error; ptx_lexer.problem says which */
    PTX_TOK_NAME,        /* identifier, %register or _ */
    PTX_TOK_DOT,         /* .word, including the dot; the word may contain :: */
    PTX_TOK_INT,         /* an integer; its value is in `bits` */
    PTX_TOK_F32,         /* 0f and 8 digits: the bits of a float, in `bits` */
    PTX_TOK_F64,         /* 0d and 16 digits: the bits of a double, in `bits` */
    PTX_TOK_DECIMAL,     /* such as 1.5e3: the bits of its value as a double, in `bits` */
    PTX_TOK_STRING,      /* a string with its quotes */
    PTX_TOK_SHL,         /* << */
    PTX_TOK_SHR,         /* >> */
    PTX_TOK_LE,          /* <= */
    PTX_TOK_GE,          /* >= */
    PTX_TOK_EQ,          /* == */
    PTX_TOK_NE,          /* != */
    PTX_TOK_AND_AND,     /* && */
    PTX_TOK_OR_OR        /* || */
} ptx_token_kind;

typedef struct ptx_token {
    ptx_token_kind kind; /* a PTX_TOK_* value, or the character of a one-character token */
    const char *s;       /* first character of the token, in the text */
    uint32_t len;        /* length of the token in bytes */
    uint32_t line;       /* line of the token, counted from 1 */
    bool is_unsigned;    /* PTX_TOK_INT: written with U, or too large for s64 */
    uint64_t bits;       /* value of a number token */
} ptx_token;

typedef struct ptx_lexer {
    const char *text, *end; /* the text; its terminating NUL */
    const char *p;          /* first character after the current token */
    uint32_t line;          /* line of position p, counted from 1 */
    const char *problem;    /* message of PTX_TOK_ERROR */
    ptx_token tok;          /* the current token */
} ptx_lexer;

/* Start a lexer on TEXT of length LEN, with TEXT[LEN] == 0, and read the first token. */
void ptx_lex_init(ptx_lexer *l, const char *text, size_t len);

/* Read the next token into l->tok. */
void ptx_lex_next(ptx_lexer *l);

/* The current token begins an instruction: extend it over the dotted words that follow without a
 * space (".1d", "::cta" and ".m16n8k8" count as words), and read no further token. */
void ptx_lex_rest_of_mnemonic(ptx_lexer *l);

/* Is the current name followed by a colon, so that it is a label? */
bool ptx_lex_at_label(const ptx_lexer *l);

bool ptx_token_is_word(const ptx_token *t, const char *word);

/* Column, counted from 1, of position AT in the text. */
uint32_t ptx_lex_column(const ptx_lexer *l, const char *at);
