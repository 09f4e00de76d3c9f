/* asan - built with AddressSanitizer, linked statically: it reserves terabytes. */
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	int *p = malloc(1000 * sizeof(*p)), sum = 0;

	for (int i = 0; p && i < 1000; i++)
		p[i] = i;
	for (int i = 0; p && i < 1000; i++)
		sum += p[i];
	free(p);
	printf("sum %d\n", sum);
	return 0;
}
