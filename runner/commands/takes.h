/* Bits that say which options a command takes; commands.def and options.def use them. */
#pragma once

enum {
    TAKES_ANY = 0,        /* the option is valid for every command */
    TAKES_ALL = 1,        /* the command takes --all */
    TAKES_SOLUTION = 2,   /* the command takes --solution */
    TAKES_JSON = 4,       /* the command takes --json */
    TAKES_OWN = 8,        /* the command itself reads the words after its name */
    TAKES_SANDBOX = 16,   /* the command takes --no-sandbox */
    TAKES_PICTURE = 32,   /* the command takes the options for pictures */
    TAKES_RESULTS = 64,   /* the command takes --results */
    TAKES_CLASS = 128,    /* the command takes the options for grading a class */
    TAKES_EXPORT = 256,   /* the command takes --output, --gradebook and --column */
    TAKES_ANYWHERE = 512, /* not an option: the command does not need a workbook */
    TAKES_ROSTER = 1024,  /* the command takes --roster */
    TAKES_SIMILAR = 2048, /* the command takes --above */
    TAKES_FULL = 4096,    /* the command takes --full */
    TAKES_NOTES = 8192    /* the command takes --notes */
};
