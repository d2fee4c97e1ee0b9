/* The version of warpbook: what --version prints, and what the manual page and the packages say.
 * CHANGELOG.md begins with it. */
#ifndef WARPBOOK_VERSION_H
#define WARPBOOK_VERSION_H

#define WARPBOOK_VERSION "1.0.0"

#endif
