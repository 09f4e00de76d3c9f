/* spec - what a box is: everything the monitor must know to start it. Written as JSON
 * into box.json (what stays) and handed to the monitor (all of it).
 * Needs:  nothing.
 * Owns:   its two lists.
 * Never:  holds a key or any other secret. */
#ifndef RUNTIME_SPEC_SPEC_H
#define RUNTIME_SPEC_SPEC_H

#include <limits.h>

#include "base/hash.h"
#include "base/json.h"
#include "runtime/idmap/idmap.h"
#include "runtime/spec/limits.h"

/* Called below cli/ with one line for the person: what is being done, what was left
 * out. */
typedef void note_fn(void *ctx, const char *line);

enum net_mode { NET_GATE, NET_NONE, NET_HOST };
int spec_net_parse(const char *name, enum net_mode *ret);

enum { SPEC_IMAGE = 256, SPEC_NAME = 33 };
/* How the box sees its directory: as it is; under a layer of its own, out of which nothing
 * comes by itself; read-only. */
enum project_mode { PROJECT_LIVE, PROJECT_REVIEW, PROJECT_RO };
const char *spec_project_name(enum project_mode m); /* "live", "review", "ro" */
int spec_project_parse(const char *name, enum project_mode *ret);

struct spec {
	char project[PATH_MAX]; /* real, absolute; any bytes but NUL */
	char key[HASH_HEX];	/* of spec_key(): the box's name in the store */
	char name[SPEC_NAME];	/* of several boxes of the directory; "" = the one */
	char store[PATH_MAX];	/* absolute */
	char image[SPEC_IMAGE]; /* directory below images/ */
	char image_name[SPEC_IMAGE]; /* what the user called it: "ubuntu:24.04" */
	struct idmap map;
	struct idmap_owner owner;
	enum net_mode net;
	struct limits limits;
	enum project_mode project_mode;
	bool git_writable;
	bool git_identity;  /* its git knows by which name the person commits */
	bool keep;	    /* the box stays when its last client leaves */
	bool discard;	    /* it is removed afterwards: nothing in it need last */
	struct json *rules; /* owned; array of "allow HOST…", "deny HOST…" strings */
	struct json *publish; /* owned; array of "[IP:]HOSTPORT:PORT" strings */
	struct json *volumes; /* owned; array of objects: spec_volume_from_json() */
};

#define SPEC_NONE ((struct spec){ .net = NET_GATE })
void spec_done(struct spec *s);
#define _cleanup_spec_ _cleanup_(spec_done)

/** spec_locate() - fill project and key from a directory that a person named
 *  Return: 0, -ENOENT, -ENOTDIR, -EACCES. Whether a box may have it says
 *  project_dir_check(). */
int spec_locate(struct spec *s, const char *dir, struct err *e);
/** spec_locate_real() - the same of a path that has no links; -ESTALE: it has by now */
int spec_locate_real(struct spec *s, const char *dir, struct err *e);

/** spec_key() - the name in the store of the box @name ("" = the one) of a directory */
void spec_key(const char *project, const char *name, char ret[HASH_HEX]);

/** spec_name_valid() - letters, digits, '.', '_' and '-', at most 32, a letter or digit
 *  first */
bool spec_name_valid(const char *name);

/** spec_path() - a path out of a box's record, where odd bytes are written as \xNN
 *  Return: 0 or -EINVAL: it is none. */
int spec_path(const struct json *j, const char *key, char ret[PATH_MAX]);

/** spec_place_json() - put what says whose the box is (project, key, name) into @j */
int spec_place_json(const struct spec *s, struct json *j);
/** spec_set_path() - the other way round */
int spec_set_path(struct json *j, const char *key, const char *path);

/** spec_to_json() - owned; NULL = out of memory */
struct json *spec_to_json(const struct spec *s);
int spec_from_json(const struct json *j, struct spec *ret, struct err *e);

#endif
