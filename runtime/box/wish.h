/* wish - what a client wants of a box, as its monitor hears it.
 * Needs:  nothing.
 * Owns:   nothing.
 * Never:  names anything that is not in the spec. */
#ifndef RUNTIME_BOX_WISH_H
#define RUNTIME_BOX_WISH_H

#include "base/buf.h"
#include "runtime/box/box.h"
#include "runtime/wire/wire.h"

/** wish_describe() - the text of the spec, behind what @ret holds */
int wish_describe(const struct spec *s, struct buf *ret, struct err *e);

/** wish_make() - whoever only joins asks, and uses nothing */
int wish_make(const struct box_open *o, struct wire_wish *ret, struct err *e);

#endif
