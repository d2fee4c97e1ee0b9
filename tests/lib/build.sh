# shellcheck shell=bash disable=SC2034
# Where the build that is tested lies. own-tmpdir.sh sources this for every suite, other programs below
# tests/ for themselves; nothing there names the folder itself. It sets
#   B         the folder as make takes it: what `make test B=FOLDER` says in WARPBOOK_BUILD, else build
#   build     the same from the root on
#   warpbook  the program there; $WARPBOOK is another one
# Programs of the suites get large blocks in huge pages, as the runner's do: fewer page faults.
export GLIBC_TUNABLES=${GLIBC_TUNABLES:-glibc.malloc.hugetlb=1}
B=${WARPBOOK_BUILD:-build}
warpbook=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$B
[[ $B == /* ]] || build=$warpbook/$B
# As the Makefile has it: ./warpbook, or below B= beside everything else.
[ "$B" = build ] || warpbook=$build
warpbook=${WARPBOOK:-$warpbook/warpbook}
