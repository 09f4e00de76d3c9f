/* copyfd - what is in one open file, into another: contents and attributes.
 * Needs:  two open regular files.
 * Owns:   nothing.
 * Never:  opens anything by name. */
#ifndef BASE_COPYFD_H
#define BASE_COPYFD_H

#include <stdint.h>

/** copyfd_bytes() - the contents, shared where the filesystem can do that (reflinks), else
 *  copied, holes left out, as many bytes as it has at first; @to is empty
 *  @room: how many bytes may be copied, and then how many more; NULL = any. What is shared and
 *         holes are none.
 *  Return: 0, -EBUSY (there is no room for them) or another negative errno. */
int copyfd_bytes(int from, int to, uint64_t *room);

/** copyfd_xattrs() - user attributes, access lists and capabilities
 *  Return: how many could not be kept. */
unsigned copyfd_xattrs(int from, int to);

#endif
