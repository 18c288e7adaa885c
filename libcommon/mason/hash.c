#include "base/base.h"

#include "base/strv.h"
#include "mason/hash.h"

void hash_release(struct hash_list *h)
{
	buf_release(&h->paths);
	buf_release(&h->oids);
	h->len = 0;
}

void hash_add(struct hash_list *h, const char *path)
{
	/* Always quoted: names may hold a newline, or look quoted themselves. */
	git_quote(path, &h->paths);
	buf_char(&h->paths, '\n');
	h->len++;
}

int hash_run(struct hash_list *h, const struct git_cmd *git, unsigned flags, size_t hex,
	     struct error *err)
{
	STRV_AUTO args = STRV_INIT;
	struct git_cmd cmd = *git;

	if (!h->len)
		return 0;
	strv_add(&args, "hash-object");
	strv_add(&args, "--stdin-paths");
	if (flags & HASH_WRITE)
		strv_add(&args, "-w");
	if (flags & HASH_RAW)
		strv_add(&args, "--no-filters");
	h->hex = hex;
	buf_reset(&h->oids);
	cmd.args = strv_argv(&args);
	cmd.in = h->paths.data;
	cmd.in_len = h->paths.len;
	cmd.out = &h->oids;
	if (git_must(&cmd, err))
		return -1;
	if (h->oids.len != h->len * (hex + 1))
		return error_set(err, ERR_PEER, "git hash-object gave %zu bytes for %zu files",
				 h->oids.len, h->len);
	return 0;
}

const char *hash_at(const struct hash_list *h, size_t i)
{
	return h->oids.data + i * (h->hex + 1);
}
