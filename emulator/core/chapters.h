/* Numbers of chapters, by topic. */
#pragma once

enum {
    CHAPTER_NONE, /* no chapter of the course explains it */
#define CHAPTER(topic, number) CHAPTER_##topic = number,
#include "chapters.def"
#undef CHAPTER
};
