/* Refers once to each function that calls.def lists, so that linking fails if a function of a row
 * is missing. CALL declares only the symbol, not the function's type.
 */
#define CALL(name, own, ...) extern char row_##name[] __asm__(#name);
#define LINK(name)           CALL(name, no)
#define STUB(name, own)      /* no code for such a row */
#include "calls.def"
#undef CALL

static const char *const listed_functions[] __attribute__((used)) = {
#define CALL(name, own, ...) row_##name,
#include "calls.def"
};
