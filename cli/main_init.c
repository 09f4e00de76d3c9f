/* The program cubby-init: see runtime/init/init.h. */
#include "runtime/init/init.h"

int main(void)
{
	return init_main();
}
