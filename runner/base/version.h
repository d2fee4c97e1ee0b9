/* The version of warpbook, shown by --version, the manual page and the packages. The first heading
 * of CHANGELOG.md is the same version. */
#pragma once

#define WARPBOOK_VERSION "1.0.0"
