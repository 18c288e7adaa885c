#include "base/base.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "store/lfs.h"
#include "store/worktree-lfs.h"
#include "sys/fd.h"
#include "sys/file.h"

static bool read_pointer(const struct git_cmd *git, const char *oid, struct lfs_pointer *out)
{
	const char *const args[] = { "cat-file", "blob", oid, NULL };
	struct error ignored = ERROR_INIT;
	struct git_cmd cmd = *git;
	BUF_AUTO text = BUF_INIT;

	cmd.args = args;
	cmd.out = &text;
	return !git_must(&cmd, &ignored) && lfs_pointer_parse(text.data, text.len, out) &&
	       !out->extended;
}

bool worktree_lfs_clean(const struct git_cmd *git, int top_fd, const struct change *c)
{
	struct error ignored = ERROR_INIT;
	struct lfs_pointer p;
	struct digest_sum sum;
	struct stat st;
	FD_AUTO fd = file_open_beneath(top_fd, c->path, O_RDONLY | O_NONBLOCK, 0, &ignored);

	return fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       read_pointer(git, c->old_oid, &p) && (uint64_t)st.st_size == p.size &&
	       !digest_stream(fd, -1, p.size, &sum, &ignored) && !strcmp(sum.hex, p.oid);
}
