# shellcheck shell=bash
# What run-course and run-wrong share: builds that are kept, runs on the emulator.
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
. tests/lib/programs.sh
nvcc=${NVCC:-$(command -v nvcc || echo "${CUDA:-/usr/local/cuda}/bin/nvcc")}
emulator=${WARPBOOK_EMULATOR:-$build/emulator}
judges_times='^(13-events|14-streams|16-all-together|labs-06-pipeline)$' # chapters whose checks do, at their own size
flags=(-std=c++17 -O3 -lineinfo -cudart shared -arch=compute_90 -I "$root/common")

# build SOURCE NAME [FLAG ...]: $work/NAME, and the compiler's words in $work/NAME.log. A build of
# the same text is kept from one run to the next.
build() {
    local source=$1 name=$2 key
    shift 2
    key=$({ cat "$source" common/*.h && echo "${flags[*]} $* $stamp"; } | sha256sum | cut -c1-24)
    mkdir -p "$work/kept" "$(dirname "$work/$name")"
    if ! [ -f "$work/kept/$key" ]; then
        if ! "$nvcc" "${flags[@]}" "$@" -o "$work/kept/$key.$$" "$source" >"$work/$name.log" 2>&1; then
            rm -f "$work/$name"
            return 1
        fi
        cp "$work/$name.log" "$work/kept/$key.log"
        mv "$work/kept/$key.$$" "$work/kept/$key"
    fi
    cp "$work/kept/$key.log" "$work/$name.log"
    ln -f "$work/kept/$key" "$work/$name"
}

# emulate NAME [VARIABLE=VALUE ...]: run $work/NAME with fixed inputs; output, record and counters
# in $work/NAME.{out,tsv,counters}, without the namespaces of tests/lib/together.
emulate() {
    local name=$1 rc
    shift
    rm -f "$work/$name".{tsv,counters,accesses}
    env LD_LIBRARY_PATH="$emulator" WARPBOOK_SEED=1 WARPBOOK_RECORD="$work/$name.tsv" "$@" \
        timeout -k 5 100 "$work/$name" >"$work/$name.out" 2>&1
    rc=$?
    kernel_names "$work/$name".{out,tsv,counters,accesses} 2>/dev/null
    return $rc
}

# judged_goals CHAPTER RECORD COUNTERS: a line for each goal of a run, with tabs: kernel, metric, value, relation, limit,
# met or missed, sentence. An assignment is called labs-NN-topic.
judged_goals() {
    local chapter=$1
    [[ $chapter != labs-* ]] || chapter=labs/${chapter#labs-}
    "$warpbook" dev goals "$chapter" "$2" "$3"
}

[ -x "$nvcc" ] || {
    echo "1..0 # SKIP nvcc is not there"
    exit 0
}
[ -e "$emulator"/libcudart.so ] || ls "$emulator"/libcudart.so.* >/dev/null 2>&1 || {
    echo "1..1"
    echo "not ok 1 - the emulator is not built: run make"
    exit 1
}
stamp=$("$nvcc" --version | tail -n 2)
