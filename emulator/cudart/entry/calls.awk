# What the rows of a calls.def are: for each row calls `heading(subject)` or `row(kind, symbol, second)`, with
# SECOND the symbol of the per-thread default stream or "". The runtime's rows are KIND(name, own ...), the
# driver API's KIND(name, version, since, own ...), in the files that its calls.def includes.
function take(    kind, field, versioned, symbol, own)
{
    if ($0 ~ /^\/\* --- .* --- \*\/$/) heading(substr($0, 8, length($0) - 14))
    if ($0 !~ /^(CALL|SAME|STUB|LINK|OTHER)\(/) return
    kind = substr($0, 1, index($0, "(") - 1)
    split(substr($0, length(kind) + 2), field, /, *|\)/)
    versioned = field[3] ~ /^[0-9]+$/
    symbol = versioned ? field[1] field[2] : field[1]
    own = versioned ? field[4] : field[2]
    row(kind, symbol, own == "ptsz" || own == "ptds" ? symbol "_" own : "")
}
/^#include "/ {
    folder = FILENAME
    sub(/[^\/]*$/, "", folder)
    split($0, quoted, "\"")
    file = folder quoted[2]
    while ((getline < file) > 0) take()
    close(file)
    next
}
{ take() }
