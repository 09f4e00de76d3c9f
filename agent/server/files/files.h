/* files - files of a box, one or many, read, written, searched and uploaded.
 * Needs:  an exchange whose tenant's box is open.
 * Owns:   nothing.
 * Never:  opens one of them: programs of the box's init do that, inside (fileop.h). */
#ifndef AGENT_SERVER_FILES_FILES_H
#define AGENT_SERVER_FILES_FILES_H

#include "agent/server/exchange/route.h"

extern const struct route_table files_routes, upload_routes;

#endif
