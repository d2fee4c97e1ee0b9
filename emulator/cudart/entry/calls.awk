# What the rows of a calls.def are: for each row calls `heading(subject)` or `row(kind, symbol, second)`, with
# SECOND the symbol of the per-thread default stream or "". The runtime's rows are KIND(name, own ...), the
# driver API's KIND(name, version, since, own ...).
/^\/\* --- .* --- \*\/$/ { heading(substr($0, 8, length($0) - 14)) }
/^(CALL|SAME|STUB|LINK)\(/ {
    kind = substr($0, 1, 4)
    split(substr($0, 6), field, /, *|\)/)
    versioned = field[3] ~ /^[0-9]+$/
    symbol = versioned ? field[1] field[2] : field[1]
    own = versioned ? field[4] : field[2]
    row(kind, symbol, own == "ptsz" || own == "ptds" ? symbol "_" own : "")
}
