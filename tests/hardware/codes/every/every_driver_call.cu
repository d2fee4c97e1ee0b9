// alone: it includes a table of calls
/* Every call of the driver API with arguments that are not there: every_call.h. Those that the
 * library has not are called absent. The runtime has made the primary context current. */
#include "every_driver_call.h"

int main()
{
    return run_every(calls, sizeof calls / sizeof *calls);
}
