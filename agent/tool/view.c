/* The tool view_image: a picture of the box as the model can look at it. One that is too large
 * is made smaller by a program of the box; nothing of it is decoded here. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "agent/tool/impl.h"
#include "agent/tool/picture.h"
#include "agent/tool/program.h"
#include "base/base64.h"
#include "base/text.h"

enum { SCALE_MS = 60000 };

/* Status 3: there is no program for it. */
static const char scale[] =
	"f=$1; e=$2; q() { command -v \"$1\" >/dev/null 2>&1; }\n"
	"if q magick; then magick \"$f[0]\" -auto-orient -resize \"${e}x$e>\" -quality "
	"85 jpeg:-\n"
	"elif q convert; then convert \"$f[0]\" -auto-orient -resize \"${e}x$e>\" "
	"-quality 85 jpeg:-\n"
	"elif q ffmpeg; then ffmpeg -v error -i \"$f\" -frames:v 1 -vf "
	"\"scale='min($e,iw)':'min($e,ih)':force_original_aspect_ratio=decrease\" -f "
	"mjpeg -\n"
	"elif python3 -c 'import PIL' 2>/dev/null; then python3 -c 'import sys, "
	"PIL.Image as I\n"
	"i = I.open(sys.argv[1]).convert(\"RGB\"); e = int(sys.argv[2]); "
	"i.thumbnail((e, e))\n"
	"i.save(sys.stdout.buffer, \"JPEG\", quality=85)' \"$f\" \"$e\"\n"
	"else exit 3; fi 2>/dev/null\n";

static int make_smaller(struct toolbox *t, const char *path, struct buf *out,
			int *status, struct err *e)
{
	char edge[16];
	const char *const argv[] = { "sh", "-c", scale, "sh", path, edge, NULL };
	_cleanup_program_ struct program p = { .box = t->conf.box,
					       .user = t->conf.user,
					       .cwd = tool_shell_cwd(t),
					       .argv = argv,
					       .out = out,
					       .total_ms = SCALE_MS,
					       .interrupt_fd = t->conf.interrupt_fd };
	int r;

	snprintf(edge, sizeof(edge), "%d", PICTURE_EDGE);
	r = program_start(&p, e);
	return r < 0 ? r : program_end(&p, status, e);
}

static bool is_small(const struct picture *p, const struct buf *data)
{
	return data->len <= PICTURE_MAX && p->width && p->width <= PICTURE_EDGE &&
	       p->height && p->height <= PICTURE_EDGE;
}

static int keep_bytes(const struct picture *shown, const struct buf *data,
		      struct tool_result *ret)
{
	_cleanup_buf_ struct buf text = BUF_INIT(2 * (size_t)PICTURE_MAX);
	int r = base64_add(&text, data->data, data->len);

	if (r < 0)
		return r;
	free(ret->picture);
	ret->picture = buf_steal(&text);
	ret->mime = shown->mime;
	return 0;
}

int tool_view_attach(struct toolbox *t, const char *path, struct tool_result *ret)
{
	_cleanup_buf_ struct buf data = BUF_INIT(PICTURE_MAX);
	struct files f = { .box = t->conf.box, .user = t->conf.user, .cwd = "/" };
	struct files_stat st;
	struct picture p;

	if (files_get(&f, path, &data, &st, ERR_IGNORED) < 0 || st.size != data.len ||
	    !picture_read(data.data, data.len, &p) || !is_small(&p, &data))
		return 0;
	ret->caption = strdup(path);
	return ret->caption ? keep_bytes(&p, &data, ret) : -ENOMEM;
}

/* The picture is in @ret, and a line about it. */
static int keep(const char *path, const struct picture *p, const struct picture *shown,
		const struct buf *data, struct tool_result *ret)
{
	char size[32];
	int r = keep_bytes(shown, data, ret);

	if (r < 0)
		return r;
	snprintf(size, sizeof(size), "%" PRIu32 "x%" PRIu32, shown->width,
		 shown->height);
	return buf_addf(
		&ret->text, "%s: %s, %" PRIu32 "x%" PRIu32 "%s%s; it follows as %s, %s",
		path, p->name, p->width, p->height, shown == p ? "" : ", shown as ",
		shown == p ? "" : size, shown->name, text_bytes(data->len));
}

int tool_view_image(struct toolbox *t, const struct json *args, struct tool_result *ret,
		    struct err *e)
{
	_cleanup_buf_ struct buf data = BUF_INIT(PICTURE_READ),
				 small = BUF_INIT(PICTURE_READ);
	struct files f = { .box = t->conf.box,
			   .user = t->conf.user,
			   .cwd = tool_shell_cwd(t) };
	const char *path = json_get_str(args, "path");
	struct picture p, scaled;
	struct files_stat st;
	int status = 0, r = files_get(&f, path, &data, &st, e);

	if (r < 0)
		return tool_result_failed(r, ret, e);
	if (!picture_read(data.data, data.len, &p))
		return tool_result_fail(
			ret, "'%s' is no PNG, JPEG, GIF or WebP picture", path);
	if (is_small(&p, &data)) {
		r = keep(path, &p, &p, &data, ret);
		return r < 0 ? err_sys(e, r, "cannot keep the picture") : 0;
	}
	r = make_smaller(t, path, &small, &status, e);
	if (r < 0)
		return tool_result_failed(r, ret, e);
	if (status || !picture_read(small.data, small.len, &scaled) ||
	    !is_small(&scaled, &small))
		return tool_result_fail(
			ret,
			"'%s' is a %s picture of %" PRIu32 "x%" PRIu32
			", more than can be shown (%dx%d, 1 MB)%s",
			path, p.name, p.width, p.height, PICTURE_EDGE, PICTURE_EDGE,
			status == 3
				? "; install imagemagick, with which it is made smaller"
				: " and cannot be made smaller");
	r = keep(path, &p, &scaled, &small, ret);
	return r < 0 ? err_sys(e, r, "cannot keep the picture") : 0;
}
