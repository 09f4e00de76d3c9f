/* place - which box a directory has: its own, that of the nearest directory above it, or
 * one whose directory was moved here.
 * Needs:  cmd_parse() has filled the configuration.
 * Owns:   nothing.
 * Never:  looks above a home or across a mount; takes a box away from a directory that is
 *         still there. */
#ifndef CLI_STORE_PLACE_H
#define CLI_STORE_PLACE_H

#include "cli/show/app.h"
#include "rootfs/store/boxdir.h"
#include "rootfs/store/boxmark.h"
#include "rootfs/store/store.h"
#include "runtime/box/project_dir.h"
#include "runtime/spec/spec.h"

struct place_found {
	char cwd[PATH_MAX];  /* where the person is, in the project or the same */
	char id[BOXMARK_ID]; /* of the project; "" = it cannot be known again */
};

/**
 * place_find() - fill name, project and key of @s for app->dir
 *
 * With app->here only the directory itself counts. Without any box it is the directory
 * itself. A box whose directory was moved here is adopted, which is said.
 * Return: 0; -ENOENT, -ENOTDIR, -EACCES (the directory); -EBUSY: it was moved, and its box
 *         runs where it was.
 */
int place_find(const struct app *app, struct spec *s, struct place_found *ret,
	       struct err *e);

/** place_open() - store_open() of app->store, unless it is open. All that takes a struct app
 *  and works in the store needs it. */
int place_open(const struct app *app, struct err *e);

/** place_store() - the same for a command of no single box, which passes over the programs
 *  of the projects of all boxes and of the directory that it is run in */
int place_store(const struct app *app, struct err *e);

/** place_pass_over() - the same for who needs no store: app->pass_over */
bool place_pass_over(const struct app *app);

/** place_dir() - what project_dir_check() asks about; it borrows @project */
struct project_dir place_dir(const struct app *app, const char *project);

/** place_locate() - spec_locate() for the directory that the caller is in, or said with -C: as
 *  cmd_do() found it, no link has come in between */
int place_locate(const struct app *app, struct spec *s, struct err *e);

/** place_move() - the box that the word @old means belongs to the directory @to from now
 *  on, which is said; NULL = that of place_locate() */
int place_move(const struct app *app, const char *old, const char *to, struct err *e);

/** place_finish() - who was killed after boxes had changed their places has left records of
 *  the places before: @dir with its record @j is at that of @s, and the other one where that
 *  record says. Nothing is done where the record is right. */
int place_finish(const struct boxdir *dir, const struct spec *s, struct json *j,
		 struct err *e);

/** place_moved() - is the directory @project, which is gone, that of @mark beside it under
 *  another name? */
bool place_moved(const char *project, const char *mark, char ret[PATH_MAX]);

#endif
