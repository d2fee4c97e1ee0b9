// The patterns of contraction.cu in one type, which it names with the macros undefined at the end.
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
