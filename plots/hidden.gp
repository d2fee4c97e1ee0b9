# Loaded by sweep and roofline for text, where a point hides those of earlier variants in the same
# character: under(j) is " (= C)" for series J if points of the series with the letter C hide all of it.
# Set before: drawn(n, j), whether row N is a point of series J; across(n, m) and down(n, m), how many
# characters lie between two rows; letters, those of the series.
array HIDDEN[most]
do for [j = 1:series] {
    HIDDEN[j] = 0
    do for [k = j + 1:series] {
        shown = 0
        do for [n = 1:rows] {
            if (drawn(n, j)) {
                covered = 0
                do for [m = 1:rows] {
                    covered = covered || (drawn(m, k) && across(n, m) < 0.5 && down(n, m) < 0.5)
                }
                shown = shown || !covered
            }
        }
        HIDDEN[j] = shown ? HIDDEN[j] : k
    }
}
under(j) = HIDDEN[j] ? " (= " . letters[HIDDEN[j]:HIDDEN[j]] . ")" : ""
