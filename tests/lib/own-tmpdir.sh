# shellcheck shell=bash
# Sourced by every suite before anything else: run alone, it begins again with a TMPDIR of its own, as
# tests/run gives it one.
[ -n "${WARPBOOK_OWN_TMPDIR:-}" ] ||
    exec "$(dirname "${BASH_SOURCE[0]}")/in-tmpdir" "$0" "$@"
# shellcheck source=tests/lib/build.sh
. "$(dirname "${BASH_SOURCE[0]}")/build.sh"
