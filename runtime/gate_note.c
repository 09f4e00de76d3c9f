/* gate_note - what the gate tells: audit lines, and events for the monitor. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sys.h"
#include "runtime/gate_impl.h"
#include "runtime/wire.h"

enum { AGAIN_MS = 1000 };

static void send_event(struct gated *g, const char *event, const char *text)
{
	_cleanup_json_ struct json *j = json_object();
	_cleanup_buf_ struct buf out = BUF_INIT(WIRE_BODY);
	struct wire_head head = { .type = WIRE_ANSWER };

	if (!j || json_set_str(j, "event", event) < 0 ||
	    json_set_str(j, "text", text) < 0 || json_print(j, false, &out) < 0)
		return;
	head.len = (uint32_t)out.len;
	/* A monitor that does not listen loses the event, not the box its network. */
	(void)wire_send(g->control, &head, out.data, NULL, 0);
}

/* A box that dials a refused host in a loop must not flood its monitor. */
static bool told_lately(struct gated *g, const char *text)
{
	uint64_t now = sys_now_ms();
	uint32_t h = 2166136261u;
	size_t oldest = 0;

	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * 16777619u;
	for (size_t i = 0; i < ARRAY_SIZE(g->told); i++) {
		if (g->told[i] == h && g->told_ms[i] && now - g->told_ms[i] < AGAIN_MS)
			return true;
		if (g->told_ms[i] < g->told_ms[oldest])
			oldest = i;
	}
	g->told[oldest] = h;
	g->told_ms[oldest] = now;
	return false;
}

void gate_note_tell(struct gated *g, const char *fmt, ...)
{
	char text[GATE_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!told_lately(g, text))
		send_event(g, "refused", text);
}

/* A bucket of lines: a box that floods must not push its own history out of the log
 * within seconds. What is left out is counted, and the count is a line. */
static bool have_credit(struct gated *g)
{
	uint64_t now = sys_now_ms();

	g->line_credit += (now - g->line_ms) * GATE_LINE_RATE;
	g->line_credit = MIN(g->line_credit, GATE_LINE_BURST * 1000u);
	g->line_ms = now;
	if (g->line_credit < 2000) {
		g->lines_lost++;
		return false;
	}
	g->line_credit -= 1000;
	return true;
}

static void write_line(struct gated *g, const struct netaudit_line *line)
{
	if (netaudit_write(&g->audit, line) > 0)
		send_event(g, "rotate", "");
}

void gate_note_line(struct gated *g, const struct netaudit_line *line)
{
	char why[64];
	struct netaudit_line lost = { .event = "gate", .why = why };

	if (!have_credit(g))
		return;
	if (g->lines_lost) {
		snprintf(why, sizeof(why), "%llu lines were left out",
			 (unsigned long long)g->lines_lost);
		g->lines_lost = 0;
		write_line(g, &lost);
	}
	write_line(g, line);
}
