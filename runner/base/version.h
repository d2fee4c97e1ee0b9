/* The version of warpbook, shown by --version, the manual page and the packages. The first heading
 * of CHANGELOG.md is the same version. */
#ifndef WARPBOOK_VERSION_H
#define WARPBOOK_VERSION_H

#define WARPBOOK_VERSION "1.0.0"

#endif
