/*
 * transfer-report: the answers of get and put.
 */
#ifndef GIT_BOX_TRANSFER_REPORT_H
#define GIT_BOX_TRANSFER_REPORT_H

#include "box/transfer.h"
#include "wire/json.h"

/* {box, files: [{path, file, bytes, mode}]}; owned by the caller. */
json_t *transfer_json(const struct box *b, const struct transfer_list *l);

/*
 * The last of the words, where there are two or more: it is the destination. Taken out of the list
 * and handed to the caller, who frees it; NULL where there is only one.
 */
char *transfer_take_last(struct strv *words);

#endif
