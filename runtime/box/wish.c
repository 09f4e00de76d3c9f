#include "runtime/box/wish.h"

int wish_describe(const struct spec *s, struct buf *ret, struct err *e)
{
	_cleanup_json_ struct json *j = spec_to_json(s);

	if (!j || json_print(j, false, ret) < 0)
		return err_sys(e, -ENOMEM, "cannot describe the box");
	return 0;
}

int wish_make(const struct box_open *o, struct wire_wish *ret, struct err *e)
{
	_cleanup_buf_ struct buf text = BUF_INIT(WIRE_BODY);

	*ret = (struct wire_wish){ .visit = o->join_only };
	if (o->join_only)
		return 0;
	ret->linger_ms = o->linger_ms;
	if (wish_describe(o->spec, &text, e) < 0)
		return e->code;
	ret->sign = wire_sign(buf_cstr(&text), text.len);
	return 0;
}
