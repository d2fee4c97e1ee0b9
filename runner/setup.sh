#!/usr/bin/env bash
# setup.sh [PACKAGE ...]: install the packages that warpbook needs, and these, where that is permitted; else
# say the exact command and stop with 3. Quiet and quick when nothing is missing.
set -u

packages=(gcc g++ make gnuplot-nox libncurses-dev libcmark-gfm-dev libcmark-gfm-extensions-dev libzstd-dev liblz4-dev
    libdw-dev libelf-dev libjansson-dev libseccomp-dev libarchive-dev bubblewrap perl cmark-gfm "$@")

# Not needed, and installed where something else is missing and the distribution has it (Debian 13 does not): what
# `warpbook similar` compares submissions with.
recommended=(similarity-tester)

missing=()
for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=("$p")
done

have_nvcc() {
    command -v "${NVCC:-nvcc}" >/dev/null 2>&1 || [ -x "${CUDA:-/usr/local/cuda}/bin/nvcc" ]
}

if [ ${#missing[@]} -gt 0 ]; then
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "warpbook needs these packages (Debian's names): ${missing[*]}" >&2
        echo "Install them with your system's package manager, then run this again." >&2
        exit 3
    fi
    install=(apt-get install -y --no-install-recommends)
    command=("${install[@]}" "${missing[@]}")
    if [ "$(id -u)" = 0 ]; then
        as=()
    elif sudo -n true 2>/dev/null; then
        as=(sudo)
    else
        echo "warpbook needs some packages. Run:" >&2
        echo "    sudo ${command[*]}" >&2
        exit 3
    fi
    quiet() { "${as[@]}" env DEBIAN_FRONTEND=noninteractive "$@" -qq >/dev/null; }
    echo "Installing: ${missing[*]}"
    if ! { "${as[@]}" apt-get update -qq && quiet "${command[@]}"; }; then
        echo "The installation failed. Run it by hand to see why:" >&2
        echo "    sudo ${command[*]}" >&2
        exit 3
    fi
    for p in "${recommended[@]}"; do
        quiet "${install[@]}" "$p" 2>/dev/null || echo "Not to be had here, and not needed: $p"
    done
fi

if ! have_nvcc; then
    echo "warpbook needs nvcc from the CUDA Toolkit (12.4 or newer), and found none: install the toolkit, or put nvcc on PATH." >&2
    exit 3
fi
