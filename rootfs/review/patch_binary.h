/* patch_binary - a content that is no text, as git writes it in a patch.
 * Needs:  both sides whole.
 * Owns:   nothing.
 * Never:  compresses: each side takes a quarter more than it has. */
#ifndef ROOTFS_REVIEW_PATCH_BINARY_H
#define ROOTFS_REVIEW_PATCH_BINARY_H

#include "base/buf.h"

/** patch_binary_sum() - append what git calls a file of this content: 40 digits
 *  Return: 0, or -ENOMEM, -EMSGSIZE of @out. */
int patch_binary_sum(struct buf *out, const struct buf *content);

/** patch_binary() - append the one that comes, and the one that was, for the way back
 *  Return: as above. Source: git-diff(1) --binary and the source of git; RFC 1950, 1951 */
int patch_binary(struct buf *out, const struct buf *was, const struct buf *now);

#endif
