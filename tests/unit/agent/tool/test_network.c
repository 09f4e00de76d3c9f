#include "agent/tool/network.h"

#include "tests/unit/unit.h"

static const struct row {
	const char *name, *events, *ports, *want;
	int64_t next;
} rows[] = {
	{ "nothing", "{\"next\":3,\"events\":[]}", "{\"listening\":[]}", "", 3 },
	{ "a refusal",
	  "{\"next\":4,\"events\":[{\"n\":3,\"text\":\"network: a.b is not allowed in "
	  "this box\"}]}",
	  "{}", "\n[network: a.b is not allowed in this box]", 4 },
	{ "many",
	  "{\"next\":8,\"events\":[{\"text\":\"1\"},{\"text\":\"2\"},{\"text\":\"3\"},{"
	  "\"text\":\"4\"},{\"text\":\"5\"},{\"text\":\"6\"},{\"text\":\"7\"},{"
	  "\"text\":"
	  "\"8\"}]}",
	  "{}", "\n[1]\n[2]\n[3]\n[4]\n[5]\n[6]\n[network: 2 more refusals]", 8 },
	{ "a new port", "{}", "{\"listening\":[{\"port\":22},{\"port\":8000}]}",
	  "\n[network: port 8000 is listening now]", 3 },
	{ "a port of loopback alone", "{}",
	  "{\"listening\":[{\"port\":80,\"address\":\"127.0.0.1\"}]}",
	  "\n[network: port 80 is listening now, on 127.0.0.1 only]", 3 },
	{ "a port of every address", "{}",
	  "{\"listening\":[{\"port\":80,\"address\":\"0.0.0.0\"},{\"port\":81,"
	  "\"address\":\"::\"}]}",
	  "\n[network: port 80 is listening now]\n[network: port 81 is listening now]",
	  3 },
	{ "a port of two addresses", "{}",
	  "{\"listening\":[{\"port\":80,\"address\":\"127.0.0.1\"},{\"port\":80,"
	  "\"address\":\"::1\"}]}",
	  "\n[network: port 80 is listening now]", 3 },
	{ "one port on two addresses", "{}",
	  "{\"listening\":[{\"port\":80},{\"port\":80}]}",
	  "\n[network: port 80 is listening now]", 3 },
};

static void tells(const void *p)
{
	const struct row *row = p;
	_cleanup_buf_ struct buf out = BUF_INIT(4096);
	_cleanup_json_ struct json *events = unit_json(row->events);
	_cleanup_json_ struct json *ports = unit_json(row->ports);
	struct tool_network n = {
		.on = true, .next = 3, .ports = { 22 }, .n_ports = 1
	};

	tool_network_events(&n, events, &out);
	tool_network_ports(&n, ports, &out);
	assert_string_equal(buf_cstr(&out), row->want);
	assert_int_equal(n.next, row->next);
	buf_truncate(&out, 0);
	tool_network_ports(&n, ports, &out); /* once is enough */
	assert_string_equal(buf_cstr(&out), "");
}

static void a_port_may_come_again(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(4096);
	_cleanup_json_ struct json *with = unit_json("{\"listening\":[{\"port\":80}]}");
	_cleanup_json_ struct json *without = unit_json("{\"listening\":[]}");
	struct tool_network n = { .on = true };

	tool_network_ports(&n, with, &out);
	tool_network_ports(&n, without, &out);
	tool_network_ports(&n, with, &out);
	assert_string_equal(buf_cstr(&out), "\n[network: port 80 is listening now]"
					    "\n[network: port 80 is listening now]");
}

static void silent_without_a_box(void)
{
	_cleanup_buf_ struct buf out = BUF_INIT(64);
	struct tool_network n;

	tool_network_start(&n, NULL);
	tool_network_take(&n, NULL, &out);
	assert_int_equal(out.len, 0);
}

int main(void)
{
	static const struct unit_case cases[] = {
		{ "a port may come again", a_port_may_come_again },
		{ "silent without a box", silent_without_a_box },
	};
	int r = unit_rows("netnews", rows, tells);

	return r | unit_cases("netnews", cases);
}
