/* layers - the two directories of a view of a directory of the host's.
 * Needs:  a directory of the store that box root can pass through.
 * Owns:   nothing.
 * Never:  changes an upper that is there but for its owner. */
#ifndef RUNTIME_MONITOR_LAYERS_H
#define RUNTIME_MONITOR_LAYERS_H

#include <sys/stat.h>

#include "runtime/spec/spec.h"

/** layers_dir() - make @name, or find it, whatever the umask
 *  Return: a descriptor of it, owned, or a negative errno. */
int layers_dir(int dir, const char *name, mode_t mode);

/**
 * layers_make() - "upper" and "work" in @dir
 * @s:     of the box: its map, and who the caller is in the project
 * @like:  what is to be shown: the view has its mode and owner
 * @upper: a descriptor, owned; filled once it is there
 */
int layers_make(int dir, const struct spec *s, const struct stat *like, int *upper);

#endif
