/* Numbers of the course's chapters, by topic, from the list that the emulator's reports use. */
#pragma once

enum {
    CHAPTER_NONE, /* no chapter of the course explains it */
#define CHAPTER(topic, number) CHAPTER_##topic = number,
#include "../../emulator/core/chapters.def"
#undef CHAPTER
};
