/* Numbers of chapters, by topic. */
#ifndef EMULATOR_CORE_CHAPTERS_H
#define EMULATOR_CORE_CHAPTERS_H

enum {
    CHAPTER_NONE, /* no chapter of the course explains it */
#define CHAPTER(topic, number) CHAPTER_##topic = number,
#include "chapters.def"
#undef CHAPTER
};

#endif
