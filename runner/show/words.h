/* Describes a plot in words, as a text alternative. */
#pragma once

#include "../book/chapter.h"

/* One paragraph about picture P of the record at PATH: what is drawn, the measured device, and the
 * numbers. To be freed. NULL: the record cannot be read or has nothing to draw. */
char *plot_as_words(const char *path, const lesson_plot *p);
