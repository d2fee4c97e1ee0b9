/* Bits for the options that only some commands take; commands.def and options.def use them. */
#ifndef WARPBOOK_TAKES_H
#define WARPBOOK_TAKES_H

enum {
    TAKES_ANY = 0, /* the option is valid for every command */
    TAKES_ALL = 1,
    TAKES_SOLUTION = 2,
    TAKES_JSON = 4,
    TAKES_OWN = 8, /* the command reads its options itself */
    TAKES_SANDBOX = 16,
    TAKES_PICTURE = 32,
    TAKES_RESULTS = 64,
    TAKES_CLASS = 128, /* options of commands that read submissions of a class */
    TAKES_EXPORT = 256,
    TAKES_ANYWHERE = 512, /* not an option: the command does not need a workbook */
    TAKES_ROSTER = 1024,
    TAKES_SIMILAR = 2048,
    TAKES_FULL = 4096, /* the option that sets the lesson's size */
    TAKES_NOTES = 8192 /* the option for speaker notes of slides */
};

#endif
