/* warpbook-replay: repeats a recording without the program. `warpbook replay` starts it. */
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    char err[1024];
    replay_options o = {0};
    replay *r = argc > 1 ? replay_open(argv[1], &o, err, sizeof err) : NULL;
    if (!r) {
        fprintf(stderr, "warpbook: %s\n", argc > 1 ? err : "usage");
        return 2;
    }
    replay_result is;
    while ((is = replay_next(r)) == REPLAY_DONE)
        ;
    if (is == REPLAY_FAILED) {
        fprintf(stderr, "warpbook: %s\n", replay_error(r));
        return 1;
    }
    printf("%llu compared, %llu differ: %s\n", (unsigned long long)replay_compared(r),
           (unsigned long long)replay_differences(r),
           replay_difference(r) ? replay_difference(r) : "-");
    replay_close(r);
    return 0;
}
