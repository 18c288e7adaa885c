/*
 * ids: under whose ids the commands of a box run: the operator's, but never
 * root's, since procfs and sysctls are open to host uid 0 whatever
 * capabilities it lacks.
 */
#ifndef BOX_IDS_H
#define BOX_IDS_H

#include "base/error.h"

#define IDS_ROOT_UID 0x70000000u /* where the operator is root: free on any usual host */

struct ids {
	uint32_t uid, gid;
};

/*
 * box_uid: git config box.uid, or NULL; only asked where the operator is root. In a container whose
 * user namespace does not map IDS_ROOT_UID, the highest id that it maps. Errors: usage (box.uid),
 * unsupported (nothing but root is mapped, or not box.uid).
 */
int ids_choose(const char *box_uid, struct ids *out, struct error *err);

/*
 * Pure: highest id that a map in the form of /proc/self/uid_map has; *has says whether `id` is one.
 * 
 */
uint32_t ids_highest(const char *map, uint32_t id, bool *has);

#endif
