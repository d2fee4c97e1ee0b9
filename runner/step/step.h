/* The command `step`. */
#pragma once

#include "../judge/desk.h"

int cli_step(session *d);
