/* project_file - .cubby/box.json of the project: read, agreed to by the person where it
 * widens the box.
 * Needs:  a located project, an open store.
 * Owns:   nothing.
 * Never:  believes anything that the box can write: the agreement does not lie where it
 *         could. */
#ifndef CLI_PROJECT_FILE_H
#define CLI_PROJECT_FILE_H

#include "cli/show/app.h"
#include "rootfs/store/boxdir.h"
#include "runtime/spec/spec.h"

enum project_ask {
	PROJECT_ASK_NEVER,   /* say nothing: only look */
	PROJECT_ASK,	     /* a person at a terminal, else say what does not hold */
	PROJECT_ASK_OR_FAIL, /* the same, and without a yes it is a failure */
	PROJECT_AGREE	     /* the person has said so */
};

/** project_file_load() - take its settings into app->config
 *  Return: 0, also when there is none; PROJECT_FILE_WIDENS: what widens the box holds;
 *          PROJECT_FILE_AGREED: it does from now on;
 *          -ECANCELED, -EPERM with PROJECT_ASK_OR_FAIL: not permitted, nobody to ask */
enum { PROJECT_FILE_WIDENS = 1, PROJECT_FILE_AGREED };
int project_file_load(const struct app *app, const struct spec *s, enum project_ask ask,
		      struct err *e);

/** project_file_read() - a file of the project, as what it is: something that the box may
 *  have made. -ENOENT, -ELOOP, -EINVAL: no regular file */
int project_file_read(const char *project, const char *path, struct buf *ret,
		      struct err *e);

#endif
