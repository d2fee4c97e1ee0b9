/* What a picture of a record shows, in words. */
#ifndef WARPBOOK_WORDS_H
#define WARPBOOK_WORDS_H

#include "../book/chapter.h"

/* One paragraph of picture P of the record at PATH: what is drawn, whose figures they are, and the
 * figures. To be freed; NULL: the record cannot be read or has nothing to draw. */
char *plot_words(const char *path, const picture *p);

#endif
