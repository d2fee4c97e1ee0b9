# shellcheck shell=bash disable=SC2034
# Where the CUDA Toolkit lies. Sourced by suites and recording scripts; sets
#   nvcc     the compiler: $NVCC, else the one on PATH, else $CUDA's; behind a store of its results (nvcc-kept)
#   WARPBOOK_NVCC  the same without the store
#   toolkit  the folder with include/cuda.h: nvcc may be a link or a wrapper script elsewhere
#   toolkit_lib  the folder with its libraries
# and, where toolkit_gpu is called, cc (the first GPU's compute capability, 90 without one) and
# LD_LIBRARY_PATH (the toolkit's own runtime library last, so that the emulator's goes before it).
export WARPBOOK_NVCC=${NVCC:-$(command -v nvcc || echo "${CUDA:-/usr/local/cuda}/bin/nvcc")}
nvcc=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/nvcc-kept

toolkit_holding() { # nvcc: the folders that may be its toolkit, likeliest first
    local here
    dirname "$(dirname "$(readlink -f "$1")")"
    here=$("$1" --dryrun -x cu -c /dev/null -o /dev/null 2>&1 | sed -n 's/^#\$ _HERE_=//p')
    [ -z "$here" ] || dirname "$(readlink -f "$here")"
    readlink -f "${CUDA:-/usr/local/cuda}"
    echo /usr # Debian's package
}
toolkit=$(toolkit_holding "$WARPBOOK_NVCC" 2>/dev/null | while read -r folder; do
    [ ! -f "$folder/include/cuda.h" ] || { echo "$folder" && break; }
done)
for toolkit_lib in "$toolkit"/{lib64,"targets/$(uname -m)-linux/lib","lib/$(uname -m)-linux-gnu",lib}; do
    [ ! -e "$toolkit_lib/libcudart_static.a" ] || break
done

toolkit_host_compiler() { # NVCC_CCBIN, which toolkit 12.4's nvcc does not read, as a flag that every nvcc reads
    case " ${NVCC_PREPEND_FLAGS-}" in
    *" -ccbin "*) ;;
    *) [ -z "${NVCC_CCBIN-}" ] || export NVCC_PREPEND_FLAGS="-ccbin $NVCC_CCBIN ${NVCC_PREPEND_FLAGS-}" ;;
    esac
}
toolkit_host_compiler

toolkit_required() { # who: leaves with 3 and one sentence where there is no toolkit
    [ -x "$WARPBOOK_NVCC" ] && [ -n "$toolkit" ] && return
    echo "$1: nvcc is missing: install the CUDA Toolkit, or put nvcc on PATH." >&2
    exit 3
}

toolkit_gpu() {
    export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:+$LD_LIBRARY_PATH:}$toolkit_lib
    cc=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d '.')
    case $cc in '' | *[!0-9]*) cc=90 ;; esac
}
