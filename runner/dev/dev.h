/* Declares the command `dev`. */
#pragma once

#include "../judge/desk.h"

int cli_dev(session *d);
