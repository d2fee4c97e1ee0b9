// alone: it includes a table of calls
/* Every call of the driver API with good arguments and no current context: which of them need one.
 */
#define WITHOUT_CONTEXT
#include "every_driver_call.h"

int main()
{
    return run_every(calls, sizeof calls / sizeof *calls);
}
