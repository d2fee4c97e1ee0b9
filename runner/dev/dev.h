/* Declares the command `dev`. */
#ifndef WARPBOOK_DEV_H
#define WARPBOOK_DEV_H

#include "../judge/desk.h"

int cli_dev(session *d);

#endif
