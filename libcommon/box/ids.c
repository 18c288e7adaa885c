#include "base/base.h"

#include <fcntl.h>

#include "base/buf.h"
#include "base/num.h"
#include "box/ids.h"
#include "sys/file.h"

#define MAP_MAX 65536

uint32_t ids_highest(const char *map, uint32_t id, bool *has)
{
	uint32_t inside, outside, count, highest = 0;
	int len;

	*has = false;
	for (; sscanf(map, "%u %u %u%n", &inside, &outside, &count, &len) == 3; map += len) {
		if (!count)
			continue;
		if (id >= inside && id - inside < count)
			*has = true;
		if (inside + (count - 1) > highest)
			highest = inside + (count - 1);
	}
	/* The map of the first namespace ends with the number that means "no id". */
	return highest == UINT32_MAX ? UINT32_MAX - 1 : highest;
}

/* The wish where both maps have it; else the highest id that both have; 0 where that is root. */
static int find_mapped(uint32_t wish, uint32_t *out, struct error *err)
{
	BUF_AUTO uids = BUF_INIT, gids = BUF_INIT;
	bool uid_has, gid_has, other;

	if (file_read(AT_FDCWD, "/proc/self/uid_map", MAP_MAX, &uids, err) ||
	    file_read(AT_FDCWD, "/proc/self/gid_map", MAP_MAX, &gids, err))
		return -1;
	uint32_t uid = ids_highest(uids.data, wish, &uid_has);
	uint32_t gid = ids_highest(gids.data, wish, &gid_has);
	if (uid_has && gid_has) {
		*out = wish;
		return 0;
	}
	*out = uid < gid ? uid : gid;
	ids_highest(uid < gid ? gids.data : uids.data, *out, &other);
	if (!other)
		*out = 0;
	return 0;
}

static int none(struct error *err)
{
	error_set(err, ERR_UNSUPPORTED,
		  "root is the only id in this user namespace, and commands of a box never "
		  "run as root");
	return error_hint(err, "run git box as the ordinary user outside of it, or map more ids "
			       "(unshare --map-auto, "
			       "a container with subordinate ids)");
}

int ids_choose(const char *box_uid, struct ids *out, struct error *err)
{
	struct error ignored = ERROR_INIT;
	uint64_t wish = IDS_ROOT_UID;
	uint32_t found;

	if (geteuid() != 0) {
		*out = (struct ids){ geteuid(), getegid() };
		return 0;
	}
	if (box_uid && num_u64(box_uid, 1, UINT32_MAX - 1, &wish, &ignored))
		return error_set(err, ERR_USAGE,
				 "git config box.uid is '%s', not a user id above 0", box_uid);
	if (find_mapped((uint32_t)wish, &found, err))
		return -1;
	if (!found)
		return none(err);
	if (box_uid && found != wish)
		return error_set(err, ERR_UNSUPPORTED,
				 "git config box.uid: %llu is not mapped in this user namespace",
				 (unsigned long long)wish);
	*out = (struct ids){ found, found };
	return 0;
}
