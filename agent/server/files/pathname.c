#include "agent/server/files/pathname.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/def.h"

/* Adds the parts of @path to the @len bytes in @ret; how long it is then, or why not. */
static int add_parts(char *ret, size_t len, const char *path)
{
	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && strncmp(path, "..", 2) == 0) {
			while (len && ret[--len] != '/')
				;
		} else if (n && !(n == 1 && *path == '.')) {
			if (len + n + 2 > PATH_MAX)
				return -ENAMETOOLONG;
			ret[len++] = '/';
			memcpy(ret + len, path, n);
			len += n;
		}
		path += n + (path[n] == '/');
	}
	return (int)len;
}

int pathname_resolve(const char *base, const char *path, char ret[PATH_MAX],
		     struct err *e)
{
	char out[PATH_MAX];
	int len = *path == '/' ? 0 : add_parts(out, 0, base);

	if (!*path)
		return err_set(e, -EINVAL, "the path is empty");
	if (len >= 0)
		len = add_parts(out, (size_t)len, path);
	if (len < 0)
		return err_sys(e, len, "cannot use the path");
	if (len == 0)
		out[len++] = '/';
	memcpy(ret, out, (size_t)len);
	ret[len] = '\0';
	return 0;
}

const char *pathname_base(const char *path)
{
	const char *base = path;

	for (; *path; path++)
		if (*path == '/' || *path == '\\')
			base = path + 1;
	return strcmp(base, ".") == 0 || strcmp(base, "..") == 0 ? "" : base;
}

const char *pathname_type(const char *path)
{
	static const char *const types[][2] = {
		{ "png", "image/png" },
		{ "jpg", "image/jpeg" },
		{ "jpeg", "image/jpeg" },
		{ "gif", "image/gif" },
		{ "webp", "image/webp" },
		{ "bmp", "image/bmp" },
		{ "ico", "image/x-icon" },
		{ "tif", "image/tiff" },
		{ "tiff", "image/tiff" },
		{ "avif", "image/avif" },
		{ "svg", "image/svg+xml" },
		{ "html", "text/html" },
		{ "htm", "text/html" },
		{ "css", "text/css" },
		{ "js", "text/javascript" },
		{ "mjs", "text/javascript" },
		{ "txt", "text/plain" },
		{ "md", "text/markdown" },
		{ "csv", "text/csv" },
		{ "xml", "application/xml" },
		{ "json", "application/json" },
		{ "ipynb", "application/json" },
		{ "pdf", "application/pdf" },
		{ "zip", "application/zip" },
		{ "gz", "application/gzip" },
		{ "tar", "application/x-tar" },
		{ "wasm", "application/wasm" },
		{ "mp3", "audio/mpeg" },
		{ "wav", "audio/x-wav" },
		{ "ogg", "audio/ogg" },
		{ "mp4", "video/mp4" },
		{ "webm", "video/webm" },
		{ "woff", "font/woff" },
		{ "woff2", "font/woff2" },
		{ "ttf", "font/ttf" },
		{ "doc", "application/msword" },
		{ "xls", "application/vnd.ms-excel" },
		{ "ppt", "application/vnd.ms-powerpoint" },
		{ "docx", "application/vnd.openxmlformats-officedocument."
			  "wordprocessingml.document" },
		{ "xlsx", "application/vnd.openxmlformats-officedocument."
			  "spreadsheetml.sheet" },
		{ "pptx", "application/vnd.openxmlformats-officedocument."
			  "presentationml.presentation" },
		{ "odt", "application/vnd.oasis.opendocument.text" },
		{ "ods", "application/vnd.oasis.opendocument.spreadsheet" },
		{ "odp", "application/vnd.oasis.opendocument.presentation" },
		{ "epub", "application/epub+zip" },
	};
	const char *dot = strrchr(pathname_base(path), '.');

	for (size_t i = 0; dot && i < ARRAY_SIZE(types); i++)
		if (strcasecmp(dot + 1, types[i][0]) == 0)
			return types[i][1];
	return "application/octet-stream";
}
