/* A count walks the whole layer, so it is begun only when it may find something: when the
 * filesystem has lost half of what the box has left since the last one, whoever took it,
 * and every half minute at the latest. In between a look is one statfs. */
#include "runtime/monitor/diskwatch.h"

#include "base/scope.h"
#include "base/sys/sys.h"
#include "runtime/monitor/unlinked.h"

enum {
	DISKWATCH_LATEST_MS = 30000,
	DISKWATCH_REST = 4, /* counting takes a fifth of a processor at the most */
	/* Bytes that a name counts for at the least: empty files take inodes, of which a
	 * filesystem has a number. No program's files are as small on the average. */
	DISKWATCH_NAME = 1024,
	DISKWATCH_FAILURES = 3
};

/* A private range of ids may not list the box's directory (0711), but root may enter the
 * layer; anybody else owns that directory, and has no more rights in the layer than the box
 * has left. */
static bool is_within(const struct idmap *map)
{
	return idmap_traits(map)->apart;
}

static int open_sealed(const char *store, int boxdir, struct diskwatch *w,
		       struct err *e)
{
	char path[PATH_MAX + 16];
	int r = chain_load(boxdir, "chain", &w->chain, e);

	if (r < 0 || !w->chain.n)
		return r;
	snprintf(path, sizeof(path), "%s/layers", store);
	w->sealed = sys_open(path, O_RDONLY | O_DIRECTORY);
	return w->sealed < 0 ? err_sys(e, w->sealed, "cannot open '%s'", path) : 0;
}

static int open_reviews(int boxdir, bool within, int ret[CHAIN_VIEWS])
{
	char path[64];

	for (size_t i = 0; i < CHAIN_VIEWS; i++) {
		snprintf(path, sizeof(path), "%s%s", chain_views[i],
			 within ? "/upper" : "");
		ret[i] = sys_openat(boxdir, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW,
				    0);
		if (ret[i] < 0 && ret[i] != -ENOENT)
			return ret[i];
	}
	return 0;
}

int diskwatch_open(const struct diskwatch_conf *conf, struct diskwatch *ret,
		   struct err *e)
{
	bool within = is_within(conf->map);
	int fd = sys_openat(conf->boxdir, within ? conf->layer : ".",
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW, 0);

	if (fd < 0)
		return err_sys(e, fd, "cannot watch the disk use of the box");
	*ret = DISKWATCH_NONE;
	ret->dir = fd;
	ret->layer = within ? "." : conf->layer;
	ret->map = conf->map;
	ret->proc = conf->proc;
	ret->limit = conf->limit;
	fd = open_reviews(conf->boxdir, within, ret->reviews);
	if (fd < 0)
		return err_sys(e, fd, "cannot watch the disk use of a review");
	return open_sealed(conf->store, conf->boxdir, ret, e);
}

void diskwatch_close(struct diskwatch *w)
{
	if (w->counting)
		worker_done(&w->helper);
	scope_close(&w->dir);
	scope_close(&w->sealed);
	for (size_t i = 0; i < CHAIN_VIEWS; i++)
		scope_close(&w->reviews[i]);
	*w = DISKWATCH_NONE;
}

static struct diskroom look_free(const struct diskwatch *w)
{
	struct statfs fs = { 0 };

	(void)sys_fstatfs(w->dir, &fs);
	return (struct diskroom){ (uint64_t)fs.f_bfree * (uint64_t)fs.f_bsize,
				  fs.f_ffree };
}

static uint64_t lost(const struct diskwatch *w)
{
	const struct diskroom now = look_free(w), *was = &w->free;
	uint64_t bytes = was->bytes > now.bytes ? was->bytes - now.bytes : 0;
	uint64_t names = was->names > now.names ? was->names - now.names : 0;

	return MAX(bytes, names * DISKWATCH_NAME);
}

static bool is_due(const struct diskwatch *w, uint64_t now)
{
	uint64_t left = w->limit > w->used ? w->limit - w->used : 0;
	uint64_t gone;

	if (now < w->due_ms)
		return false;
	if (!w->counted || w->at || now >= w->began_ms + DISKWATCH_LATEST_MS)
		return true;
	gone = lost(w);
	return gone && gone >= left / 2;
}

/* One of the layers below, each of them once. */
static int begin_sealed(struct diskwatch *w, struct err *e)
{
	_cleanup_close_ int dir = -1;
	struct worker_job job = {
		.name = "count", .arg = "machine", .map = w->map, .in = -1
	};
	char path[CHAIN_ID + 16];

	snprintf(path, sizeof(path), "%s%s", w->chain.layers[w->next],
		 is_within(w->map) ? "/machine" : "");
	dir = job.dir = sys_openat(w->sealed, path, O_RDONLY | O_DIRECTORY, 0);
	if (dir < 0)
		return err_sys(e, dir, "cannot open a layer of the box");
	if (is_within(w->map))
		job.arg = ".";
	return worker_start(&job, &w->helper, e);
}

static int begin(struct diskwatch *w, uint64_t now, struct err *e)
{
	struct worker_job job = {
		.name = "count", .arg = w->layer, .map = w->map, .dir = w->dir, .in = -1
	};
	int r;

	while (w->at < CHAIN_VIEWS && w->reviews[w->at] < 0)
		w->at++;
	if (w->at < CHAIN_VIEWS) {
		job.dir = w->reviews[w->at];
		job.arg = is_within(w->map) ? "." : "upper";
	}
	w->free = look_free(w);
	w->began_ms = now;
	r = w->next < w->chain.n ? begin_sealed(w, e)
				 : worker_start(&job, &w->helper, e);
	w->counting = r == 0;
	return r;
}

static bool is_reviewed(const struct diskwatch *w)
{
	for (size_t i = 0; i < CHAIN_VIEWS; i++)
		if (w->reviews[i] >= 0)
			return true;
	return false;
}

/* 1 = @ret is set, 0 = it still counts. */
static int result(struct diskwatch *w, uint64_t now, struct err *e)
{
	_cleanup_json_ struct json *j = NULL;
	int r = worker_wait(&w->helper, 0, &j, e);
	uint64_t bytes;

	if (r == -ETIMEDOUT)
		return 0;
	worker_done(&w->helper);
	w->counting = false;
	w->due_ms = now + DISKWATCH_REST * (now - w->began_ms);
	if (r < 0)
		return r;
	bytes = (uint64_t)MAX(json_get_int(j, "bytes", 0), 0);
	bytes = MAX(bytes,
		    (uint64_t)MAX(json_get_int(j, "names", 0), 0) * DISKWATCH_NAME);
	w->failures = 0;
	if (w->next < w->chain.n) {
		w->next++;
		w->below += bytes;
		w->due_ms = now;
	} else if (w->at < CHAIN_VIEWS) {
		w->reviewed[w->at++] = bytes;
		w->due_ms = now;
	} else {
		r = unlinked_bytes(w->proc, is_reviewed(w), &w->unlinked, e);
		w->written = bytes;
		w->at = 0;
		w->counted = true;
	}
	w->used = w->below + w->written + w->unlinked;
	for (size_t i = 0; i < CHAIN_VIEWS; i++)
		w->used += w->reviewed[i];
	return r < 0 ? r : 1;
}

int diskwatch_look(struct diskwatch *w, struct err *e)
{
	uint64_t now = sys_now_ms();
	int r = 0;

	if (w->counting)
		r = result(w, now, e);
	else if (is_due(w, now))
		r = begin(w, now, e);
	if (r < 0 && ++w->failures < DISKWATCH_FAILURES)
		r = 0; /* the host may be short of processes for a moment */
	return r <= 0 ? r : w->used > w->limit;
}
