#include "rootfs/git/config.h"

#include "base/buf.h"
#include "tests/unit/unit.h"

static int print(void *ctx, const struct git_config_item *it)
{
	return buf_addf(ctx, "%s|%s|%s=%s;", it->section, it->subsection, it->key,
			it->value);
}

static const struct row {
	const char *name, *text;
	int want;
	const char *is;
} rows[] = {
	{ "empty", "", 0, "" },
	{ "plain", "[core]\n\tbare = false\n", 0, "core||bare=false;" },
	{ "case", "[CoRe]\nBARE=X\n", 0, "core||bare=X;" },
	{ "subsection", "[remote \"a \\\"b\\\\\"]\nurl=x", 0, "remote|a \"b\\|url=x;" },
	{ "key alone", "[a]\nb\nc # no\n", 0, "a||b=true;a||c=true;" },
	{ "on one line", "[a] b = c", 0, "a||b=c;" },
	{ "remarks", "# x\n;y\n[a]\nb = c ; d\n", 0, "a||b=c;" },
	{ "quotes", "[a]\nb = \" x # \" y \\\"\n", 0, "a||b= x #  y \";" },
	{ "goes on", "[a]\nb = c\\\n d\n", 0, "a||b=c d;" },
	{ "blanks by name", "[a]\nb = c\\t \nd = e \\\n\nf = g \\\\ \n", 0,
	  "a||b=c\t;a||d=e ;a||f=g \\;" },
	{ "carriage returns", "[a]\r\nb = c\r\n", 0, "a||b=c;" },
	{ "byte order mark", "\xef\xbb\xbf[a]\nb=c", 0, "a||b=c;" },
	{ "no section", "a = b\n", -EBADMSG, "" },
	{ "open section", "[a\nb = c\n", -EBADMSG, "" },
	{ "section of old", "[a.b]\nc = d\n", -EBADMSG, "" },
	{ "open quote", "[a]\nb = \"c\n", -EBADMSG, "" },
	{ "bad escape", "[a]\nb = \\x\n", -EBADMSG, "" },
	{ "bad key", "[a]\nb_c = d\n", -EBADMSG, "" },
};

static void test_row(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf out = BUF_INIT(1000);

	assert_int_equal(git_config_parse(row->text, strlen(row->text), print, &out),
			 row->want);
	assert_string_equal(buf_cstr(&out), row->is);
}

static int judge(void *ctx, const struct git_config_item *it)
{
	*(bool *)ctx &= git_config_harmless(it);
	return 0;
}

static const struct setting {
	const char *name;
	bool want;
} settings[] = {
	{ "[core]\nbare = false\nfilemode\nlogallrefupdates = true", true },
	{ "[user]\nname = a b\nemail = x@y", true },
	{ "[remote \"o\"]\nurl = https://h/x\nfetch = +refs/*:refs/*", true },
	{ "[remote \"o\"]\nurl = git@host:a/b.git", true },
	{ "[remote \"o\"]\nurl = ssh://git@host/x", true },
	{ "[branch \"m\"]\nremote = origin\nmerge = refs/heads/m", true },
	{ "[extensions]\nobjectformat = sha256", true },
	{ "[remote \"o\"]\nurl = ext::sh -c x", false },
	{ "[remote \"o\"]\nurl = ssh://-oProxyCommand=x/y", false },
	{ "[remote \"o\"]\nurl = -oProxyCommand=x:y", false },
	{ "[remote \"o\"]\nurl = ssh://a@-oProxyCommand=x/y", false },
	{ "[remote \"o\"]\nuploadpack = x", false },
	{ "[remote \"o\"]\nvcs = x", false },
	{ "[branch \"m\"]\nremote = ext::sh", false },
	{ "[core]\nfsmonitor = x", false },
	{ "[core]\nhookspath = x", false },
	{ "[core]\nworktree = x", false },
	{ "[core]\nsshcommand = x", false },
	{ "[core \"x\"]\nbare = false", false },
	{ "[include]\npath = x", false },
	{ "[includeif \"gitdir:x\"]\npath = x", false },
	{ "[alias]\nst = !x", false },
	{ "[filter \"x\"]\nclean = x", false },
	{ "[diff \"x\"]\ncommand = x", false },
	{ "[submodule \"x\"]\nupdate = !x", false },
	{ "[url \"ext::sh\"]\ninsteadof = https://", false },
	{ "[extensions]\nworktreeconfig = true", false },
	{ "[gpg]\nprogram = x", false },
};

static void test_setting(const void *p)
{
	const struct setting *row = p;
	bool harmless = true;

	assert_int_equal(
		git_config_parse(row->name, strlen(row->name), judge, &harmless), 0);
	assert_int_equal(harmless, row->want);
}

static const struct setting values[] = {
	{ "true", true },   { "True", true }, { "yes", true }, { "on", true },
	{ "1", true },	    { "0x1", true },  { "-1", true },  { "false", false },
	{ "no", false },    { "off", false }, { "0", false },  { "", false },
	{ "truer", false },
};

static void test_value(const void *p)
{
	const struct setting *row = p;

	assert_int_equal(git_config_true(row->name), row->want);
}

int main(void)
{
	return unit_rows("git_config_true", values, test_value) +
	       unit_rows("git_config_parse", rows, test_row) +
	       unit_rows("git_config_harmless", settings, test_setting);
}
