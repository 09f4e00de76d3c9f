/* unpack - an archive on a descriptor becomes files below a directory. What the confined
 * helper does (worker.h); works in any process that may fork.
 * Needs:  a single thread.
 * Owns:   the child that decompresses, until it returns.
 * Never:  looks at anything but its two descriptors. */
#ifndef RUNTIME_WORKER_UNPACK_H
#define RUNTIME_WORKER_UNPACK_H

#include "base/buf.h"
#include "base/digest.h"
#include "base/err.h"
#include "base/json.h"
#include "rootfs/archive/extract.h"

struct unpack_conf {
	int in;	  /* borrowed: the archive, to its last byte */
	int root; /* borrowed: an empty directory, or one that a lower layer filled */
	bool single; /* one id only is mapped */
	enum extract_kind kind;
	const struct digest
		*like; /* borrowed: the result's is wanted, as this one is; or NULL */
	const struct untar_limits *limits; /* borrowed */
	struct buf *names; /* borrowed: a line for what is left out; may be NULL */
};

struct unpack_result {
	struct untar_counts counts; /* in_bytes: as on the descriptor */
	uint64_t dropped[ENTRY_DROPS];
	struct digest digest; /* of the uncompressed archive; none = was not wanted */
};

/**
 * unpack_run() - decompress in a child, write in this process
 * Return: 0, or what untar_read(), untar_decompress() or extract.h failed with.
 */
int unpack_run(const struct unpack_conf *conf, struct unpack_result *ret,
	       struct err *e);

/** unpack_to_json() - owned; NULL = out of memory */
struct json *unpack_to_json(const struct unpack_result *r);

#endif
