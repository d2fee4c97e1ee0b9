# shellcheck shell=bash
# For scripts that still look for it here.
. "$(dirname "${BASH_SOURCE[0]}")/lib/toolkit.sh"
