/* applets - the functions behind the table of applet.c: one for each program that is built
 * into init. argv[0] is its name; what it answers goes to standard output, as JSON if
 * nothing else is said; paths are absolute.
 * Needs:  to be in an applet (applet.h).
 * Owns:   nothing.
 * Never:  called by anything else. */
#ifndef RUNTIME_INIT_APPLETS_H
#define RUNTIME_INIT_APPLETS_H

#include "base/err.h"

int bridge_run(char *const argv[], struct err *e); /* PORT */

int browse_list(char *const argv[], struct err *e); /* DIR */
int browse_text(char *const argv[], struct err *e); /* PATH FIRST LAST */
/* PATH FIRST LAST WORD…: as text, of what that program says the file has */
int browse_document(char *const argv[], struct err *e);
int browse_mkdir(char *const argv[], struct err *e);  /* PATH */
int browse_remove(char *const argv[], struct err *e); /* PATH */
int browse_move(char *const argv[], struct err *e);   /* FROM TO */

/* ORIGINAL REVISED FLAGS N [WORD…]: w = blanks do not count; the first N words are the program
 * that says what the original has, if that is a document, the others that of the revised */
int compare_run(char *const argv[], struct err *e);

int find_glob(char *const argv[], struct err *e); /* PATTERN PATH TYPE MOST [NOT…] */
int find_grep(char *const argv[], struct err *e); /* QUERY PATH FLAGS MOST [NAME…] */

/* DIR, which is not there yet: it is made, for this user alone, and in it a socket, which
 * goes out through descriptor 3 */
int listen_run(char *const argv[], struct err *e);

/* PATH WORD…: the file's content becomes what that program prints, all of it or, when it
 * fails, none; "-" instead: it is the answer. -ENOEXEC: there is no such program */
int made_run(char *const argv[], struct err *e);

/* [{"port": N, "pid": N, "process": NAME}, …], those alone whose process may be looked at */
int owners_run(char *const argv[], struct err *e);

int put_run(char *const argv[], struct err *e); /* PATH SIZE */

/* PATH SIZE: SIZE bytes of standard input say what is replaced in the file, five texts for
 * each, every one with a NUL behind it: the first line and the last that count (-1 = to the
 * end), whether there may be several ("1"), the text, and what stands there after it. In
 * order, each on the result of the one before: all of them, or the file stays.
 * {"path", "size"} */
int replace_run(char *const argv[], struct err *e);

/* QUERY PATH FLAGS LIMIT OFFSET; h = hidden ones, too; f, d = files or directories alone */
int rank_search(char *const argv[], struct err *e);
int rank_matches(char *const argv[], struct err *e); /* texts, too */

int skills_list(char *const argv[], struct err *e); /* HOME */
int skills_read(char *const argv[], struct err *e); /* HOME NAME */

int zip_run(char *const argv[], struct err *e); /* PATH…: an archive */

#endif
