/* pushing - an image of the store leaves it: to a registry, or into an archive.
 * Needs:  an open store.
 * Owns:   a layout in the store's tmp/ and the terminal's last line meanwhile.
 * Never:  leaves the layout behind but where it is killed, nor half an archive under the
 *         name of a whole one. */
#ifndef CLI_IMAGE_PUSHING_H
#define CLI_IMAGE_PUSHING_H

#include "cli/image/layoutout.h"
#include "cli/show/app.h"
#include "rootfs/oci/name.h"

/**
 * pushing_registry() - the image @ref to where its name, or @to, says
 * @to:     the name of an image in a registry; NULL = as it is called here
 * @name:   its full name there
 * @digest: of its manifest
 * Return: 0; -ECANCELED after ^C; why not.
 */
int pushing_registry(const struct app *app, const char *ref, const char *to,
		     char name[OCI_NAME], char digest[HASH_HEX], struct err *e);

/** pushing_archive() - the image @ref into the new file @path, as an archive of an OCI
 *  layout, which with want->docker is one for 'docker load', too */
int pushing_archive(const struct app *app, const char *ref,
		    const struct layoutout_want *want, const char *path, struct err *e);

#endif
