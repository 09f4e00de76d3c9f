#include "base/dl.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* "libx.so.1: cannot open shared object file: No such file or directory" is about the
 * library itself; the same text with another name is about one that it needs. */
static int cannot_load(const struct dl_library *lib, struct err *e)
{
	const char *why = dlerror();

	if (!why)
		why = "unknown reason";
	if (!strncmp(why, lib->soname, strlen(lib->soname)) &&
	    strstr(why, "No such file"))
		return err_set(e, -ENOPKG, "%s is not installed; install %s",
			       lib->soname, lib->package);
	return err_set(e, -ELIBACC, "cannot load %s: %s; reinstall %s", lib->soname,
		       why, lib->package);
}

static int check_symbols(const struct dl_library *lib, void *handle, struct err *e)
{
	for (size_t i = 0; i < lib->count; i++)
		if (!dlsym(handle, lib->symbols[i].name))
			return err_set(e, -ELIBBAD, "%s has no '%s'; update %s",
				       lib->soname, lib->symbols[i].name, lib->package);
	return 0;
}

int dl_load(const struct dl_library *lib, void *table, struct err *e)
{
	/* NODELETE: code of the library may run until the process ends. */
	void *handle = dlopen(lib->soname, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
	int r;

	if (!handle)
		return cannot_load(lib, e);
	r = check_symbols(lib, handle, e);
	for (size_t i = 0; !r && i < lib->count; i++) {
		void *symbol = dlsym(handle, lib->symbols[i].name);

		memcpy((char *)table + lib->symbols[i].at, &symbol, sizeof(symbol));
	}
	dlclose(handle);
	return r;
}
