/* The program cubby-init: see runtime/init.h. */
#include "runtime/init.h"

int main(void)
{
	return init_main();
}
