# shellcheck shell=bash disable=SC2034
# Sourced by the runner's suites: a copy of the fixture house in a new directory, $house, that is
# removed at the end; TAP helpers. The emulator there is a file of the right name: no lab of the
# fixture is linked with it.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
repository=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
# By itself: an emulator beside the program is taken before the one of the house.
cp "$warpbook" "$work/warpbook" && warpbook=$work/warpbook && cp -r "$build/libexec" "$work"
house=$work/house

house_new() {
    rm -rf "$house"
    cp -r "$here/fixture" "$house"
    cp -r "$repository/plots" "$house/plots"
    mkdir -p "$house/build/emulator"
    : >"$house/build/emulator/libcudart.so.13"
}
house_new
export WARPBOOK_ROOT=$house
export NVCC=$house/bin/nvcc
unset WARPBOOK_STATE WARPBOOK_SEED WARPBOOK_ONLY WARPBOOK_N NO_COLOR

. "$repository/tests/lib/tap.sh"
why=$work/out
