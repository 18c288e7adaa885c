/*
 * pager: long text on a terminal, through the operator's pager.
 */
#ifndef GIT_BOX_PAGER_H
#define GIT_BOX_PAGER_H

#include "base/buf.h"
#include "base/error.h"
#include "store/repo.h"

/*
 * To stdout; where that is a terminal through GIT_PAGER, core.pager, PAGER or less, in this order,
 * as git does; "cat" or nothing means none. What a pager says by its exit code is not asked.
 * Errors: sys.
 */
int pager_show(const struct repo *repo, const struct buf *text, struct error *err);

#endif
