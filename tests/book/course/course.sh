# shellcheck shell=bash
# What run-course and run-wrong share: builds, and runs on the emulator.
. "$(dirname "${BASH_SOURCE[0]}")/tap.sh"
. tests/lib/programs.sh
. tests/lib/toolkit.sh
emulator=${WARPBOOK_EMULATOR:-$build/emulator}
judges_times='^(17-events|18-streams|27-all-together|labs-06-pipeline)$' # chapters whose checks do, at their own size
flags=(-std=c++17 -O3 -lineinfo -cudart shared -arch=compute_90 -I "$root/common")

# build SOURCE NAME [FLAG ...]: $work/NAME, and the compiler's words in $work/NAME.log.
build() {
    mkdir -p "$(dirname "$work/$2")"
    rm -f "$work/$2"
    "$nvcc" "${flags[@]}" "${@:3}" -o "$work/$2.part" "$1" >"$work/$2.log" 2>&1 && mv "$work/$2.part" "$work/$2"
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

[ -e "$emulator"/libcudart.so ] || ls "$emulator"/libcudart.so.* >/dev/null 2>&1 || {
    echo "1..1"
    echo "not ok 1 - the emulator is not built: run make"
    exit 1
}
toolkit_required "$0"
