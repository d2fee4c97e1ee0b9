// The code patterns of contraction.cu for one floating-point type; contraction.cu selects the type
// by the macros that are undefined at the end of this file.
namespace IN
{
struct type {
    typedef WORD word;
    DRAW
};
ALL(PATTERN)
#define SHOW(name, text) show<name>(T, #name);
static void all()
{
    ALL(SHOW)
}
} // namespace IN
#undef IN
#undef T
#undef B
#undef C
#undef ONE
#undef MONE
#undef TWO
#undef MZERO
#undef WORD
#undef DRAW
#undef ALL
#undef SHOW
