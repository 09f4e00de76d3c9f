/* gate_note - what the gate tells: audit lines, and events for the monitor. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/sys/sys.h"
#include "runtime/gate/impl.h"
#include "runtime/wire/wire.h"

enum { AGAIN_MS = 1000 };

static void send_event(struct gate_notes *n, const char *event, const char *text)
{
	_cleanup_json_ struct json *j = json_object();
	_cleanup_buf_ struct buf out = BUF_INIT(WIRE_BODY);
	struct wire_head head = { .type = WIRE_ANSWER };

	json_set_str(j, "event", event);
	json_set_str(j, "text", text);
	if (json_failed(j) || json_print(j, false, &out) < 0)
		return;
	head.len = (uint32_t)out.len;
	/* A monitor that does not listen loses the event, not the box its network. */
	(void)wire_send(n->control, &head, out.data, NULL, 0);
}

/* A box that dials a refused host in a loop must not flood its monitor. */
static bool told_lately(struct gate_notes *n, const char *text)
{
	uint64_t now = sys_now_ms();
	uint32_t h = 2166136261u;
	size_t oldest = 0;

	for (; *text; text++)
		h = (h ^ (uint8_t)*text) * 16777619u;
	for (size_t i = 0; i < ARRAY_SIZE(n->told); i++) {
		if (n->told[i] == h && n->told_ms[i] && now - n->told_ms[i] < AGAIN_MS)
			return true;
		if (n->told_ms[i] < n->told_ms[oldest])
			oldest = i;
	}
	n->told[oldest] = h;
	n->told_ms[oldest] = now;
	return false;
}

static bool take_credit(uint64_t *credit, uint64_t *counted_ms, uint64_t rate,
			uint64_t burst)
{
	uint64_t now = sys_now_ms();

	*credit = MIN(*credit + (now - *counted_ms) * rate, burst * 1000);
	*counted_ms = now;
	if (*credit < 1000)
		return false;
	*credit -= 1000;
	return true;
}

/* Names that are all different come as fast as a box can ask; the monitor has more to do
 * than to hear of each. */
void gate_note_tell(struct gate_notes *n, const char *fmt, ...)
{
	char text[GATE_TEXT];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!told_lately(n, text) &&
	    take_credit(&n->tell_credit, &n->tell_ms, GATE_TELL_RATE, GATE_TELL_BURST))
		send_event(n, "refused", text);
}

/* Another file is asked for until one comes: an event may be lost, and the monitor may not
 * be able to open one. */
static int write_line(struct gate_notes *n, const struct gate_audit_line *line)
{
	int r = gate_audit_write(&n->audit, line);
	uint64_t now = sys_now_ms();

	if (r <= 0 && r != -EFBIG)
		return r;
	if (!n->rotate_ms || now - n->rotate_ms >= AGAIN_MS) {
		n->rotate_ms = now;
		send_event(n, "rotate", "");
	}
	return r;
}

/* Of what was let out, and not of what was refused or failed. */
static bool is_let_out(const struct gate_audit_line *line)
{
	return !line->verdict || strcmp(line->verdict, "allowed") == 0;
}

/* Buckets of lines: a box that floods must not push its own history out of the log within
 * seconds, nor hide what was let out among refusals that cost it nothing. What is left out
 * is counted, and the count is a line. */
void gate_note_line(struct gate_notes *n, const struct gate_audit_line *line)
{
	char why[64];
	struct gate_audit_line lost = { .event = "gate", .why = why };
	const bool out = is_let_out(line);

	if (!take_credit(&n->line_credit[out], &n->line_ms[out], GATE_LINE_RATE,
			 GATE_LINE_BURST)) {
		n->lines_lost++;
		return;
	}
	if (n->lines_lost) {
		snprintf(why, sizeof(why), "%llu lines were left out",
			 (unsigned long long)n->lines_lost);
		if (write_line(n, &lost) >= 0)
			n->lines_lost = 0;
	}
	if (write_line(n, line) < 0)
		n->lines_lost++;
}
