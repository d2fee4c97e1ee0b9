/* The scoreboard of a class: the best times of each lab, by nickname, of those who have one. */
#pragma once

#include "../class/marks.h"

/* Write DIR/scoreboard.html, unless nobody has a nickname. False with a sentence in ERR. */
bool scoreboard_write(const marks *m, const char *dir, char *err, size_t err_size);
