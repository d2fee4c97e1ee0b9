# shellcheck shell=bash disable=SC2154
# Builds many programs in few calls of nvcc, most of whose time goes into the headers. Sourced.

# build_programs OUT FLAG ...: reads lines of three fields, separated by tabs: a program's name, its
# flags besides FLAG ... (at least one), its sources. Makes OUT/NAME with $nvcc (toolkit.sh), or only
# OUT/NAME.nvcc, which says why not. Up to eight programs of the same flags are compiled as one
# (tests/lib/together), but not those with a line "// alone: why"; where that fails, which is said, each
# by itself. Two calls of nvcc run at once.
build_programs() {
    local out=$1 names own sources
    shift
    while IFS=$'\t' read -r names own sources; do
        while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
        # shellcheck disable=SC2086 # several words are meant
        build_group "$out" "$names" $sources -- $own "$@" &
    done < <(programs_in_groups)
    wait
}

# The lines of build_programs with those in one line that are compiled as one.
programs_in_groups() {
    local alone
    sort -t $'\t' -k 2 | while IFS=$'\t' read -r name own sources; do
        alone=no
        [[ $sources != *' '* ]] && ! grep -q '^// alone: ' "$sources" || alone=yes
        printf '%s\t%s\t%s\t%s\n' "$name" "$own" "$sources" "$alone"
    done | awk -F'\t' -v OFS='\t' '
        $4 == "yes" { print $1, $2, $3; next }
        $2 != own || count == 8 { finish(); own = $2 }
        { names = names (count ? " " : "") $1; sources = sources (count++ ? " " : "") $3 }
        function finish() { if (count) print names, own, sources; names = sources = ""; count = 0 }
        END { finish() }'
}

# build_group OUT "NAME ..." SOURCE ... -- FLAG ...
build_group() {
    local out=$1 names=() sources=() name source one
    read -ra names <<<"$2"
    shift 2
    while [ "$1" != -- ]; do sources+=("$1") && shift; done
    shift
    for name in "${names[@]}"; do rm -f "$out/$name"; done
    if [ "${#names[@]}" = 1 ]; then
        one=$out/${names[0]}
        "$nvcc" -o "$one.part" "${sources[@]}" "$@" >"$one.nvcc" 2>&1 && mv "$one.part" "$one"
        return
    fi
    local all=$out/${names[0]}.group
    for source in "${sources[@]}"; do set -- "$@" -I "$(dirname "$source")"; done
    tests/lib/together "${sources[@]}" >"$all.cu"
    if "$nvcc" -o "$all" "$all.cu" "$@" >"$all.nvcc" 2>&1; then
        for name in "${names[@]}"; do ln -f "$all" "$out/$name"; done
        rm "$all"
        return
    fi
    echo "# $all.nvcc: not as one program"
    for name in "${!names[@]}"; do build_group "$out" "${names[name]}" "${sources[name]}" -- "$@"; done
}

# kernel_names FILE ...: kernels and variables of a program that tests/lib/together made have the names in
# these files that they have alone. Names of variables are mangled: _ZN10together_44coefE.
kernel_names() {
    sed -i -E 's/\btogether_[0-9]+:://g
        s/\b_ZN(10together_[0-9]|11together_[0-9]{2}|12together_[0-9]{3})L?[0-9]+([A-Za-z_][A-Za-z_0-9]*)E\b/\2/g' "$@"
}
