/* python_message - what an interpreter says, checked. Pure.
 * Needs:  a frame (frame.h).
 * Owns:   the JSON that a message's members are borrowed from.
 * Never:  believes a type, length or number; code in a cell can forge all of them.
 *
 * From us:  {"t":"exec","id","code","name"?,"argv"?,"silent"?,
 *           "partial"?,"env"?} {"t":"input","value"|"eof"}
 *           {"t":"seen"}, once for each DISPLAY and CLEAR; {"t":"exit"}
 *           {"t":"complete"|"inspect","id","code","pos"} {"t":"vars","id"}
 * To us:    the kinds below. Each form in "data" is text, pictures in base64; a form in
 *           "files" was written to a file of the box. */
#ifndef AGENT_PYTHON_MESSAGE_H
#define AGENT_PYTHON_MESSAGE_H

#include "base/json.h"

enum python_kind {
	PYTHON_READY,	 /* it takes cells */
	PYTHON_DISPLAY,	 /* a value is shown */
	PYTHON_RESULT,	 /* the value of a cell's last expression */
	PYTHON_CLEAR,	 /* what was shown shall go */
	PYTHON_ASK,	 /* the cell waits for a line */
	PYTHON_DONE,	 /* the cell has ended, or a look at names */
	PYTHON_COMPLETE, /* a look: what the name may go on with; DONE follows */
	PYTHON_INSPECT,	 /* a look: what is known of the name */
	PYTHON_VARS,	 /* a look: what cells have defined */
};

/* INCOMPLETE: of a cell that is typed line by line; nothing ran */
enum python_status { PYTHON_OK, PYTHON_ERROR, PYTHON_INTERRUPTED, PYTHON_INCOMPLETE };

struct python_message {
	enum python_kind kind;
	int64_t id;		     /* of the cell; 0 for READY */
	const char *version;	     /* READY */
	const struct json *data;     /* DISPLAY, RESULT: {mime type: text} */
	const struct json *files;    /* {mime type: {path, bytes, width?, height?}} */
	const struct json *metadata; /* an object */
	const char *display_id;	     /* NULL = none */
	bool update;		     /* of what was shown under that name */
	bool wait;		     /* CLEAR: when there is something new */
	const char *prompt;	     /* ASK */
	bool password;		     /* the answer is a secret */
	enum python_status status;   /* DONE */
	int64_t count;		     /* RESULT, DONE: cells so far */
	const char *ename, *evalue;  /* ERROR, INTERRUPTED: never NULL */
	const struct json *tb;	     /* lines of text */
	double ms;
	const struct json
		*names;		 /* COMPLETE: of texts, which stand for what is there */
	int64_t from, to;	 /* COMPLETE: between these characters of the code */
	const char *text;	 /* INSPECT; NULL = there is no such name */
	const struct json *vars; /* VARS: of {name, type, repr, size?}, all texts */
	int64_t more;		 /* VARS: so many are left out */
	struct json *root;	 /* owned */
};
#define PYTHON_MESSAGE_NONE ((struct python_message){ .root = NULL })
void python_message_done(struct python_message *m);
#define _cleanup_python_message_ _cleanup_(python_message_done)

/** python_message_read() - 0; -EBADMSG with the reason; -ENOMEM */
int python_message_read(const char *text, size_t len, struct python_message *ret,
			struct err *e);

#endif
