#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/num.h"
#include "store/lfs.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/rand.h"

#define TEMP_DIGITS 16

/* What follows key and a blank in a line, without the newline; false where it is another line. */
static bool value_of(const char *line, size_t len, const char *key, struct buf *out)
{
	size_t key_len = strlen(key);

	buf_reset(out);
	if (len <= key_len || memcmp(line, key, key_len) != 0 || line[key_len] != ' ')
		return false;
	buf_add(out, line + key_len + 1, len - key_len - 1);
	return strlen(out->data) == out->len;
}

static bool is_version(const char *url)
{
	return !strcmp(url, "https://git-lfs.github.com/spec/v1") ||
	       !strcmp(url, "https://hawser.github.com/spec/v1");
}

static bool parse_oid(const char *text, struct lfs_pointer *p)
{
	static const char method[] = "sha256:";
	const char *hex = text + strlen(method);

	if (strncmp(text, method, strlen(method)) != 0 || strlen(hex) != DIGEST_HEX ||
	    strspn(hex, "0123456789abcdef") != DIGEST_HEX)
		return false;
	memcpy(p->oid, hex, sizeof(p->oid));
	return true;
}

static bool parse_line(const char *line, size_t len, struct lfs_pointer *p)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO value = BUF_INIT;

	if (value_of(line, len, "oid", &value))
		return !*p->oid && parse_oid(value.data, p);
	if (value_of(line, len, "size", &value))
		return p->size == UINT64_MAX &&
		       !num_u64(value.data, 0, INT64_MAX, &p->size, &ignored);
	p->extended = true;
	return len > 4 && !memcmp(line, "ext-", 4);
}

bool lfs_pointer_parse(const char *text, size_t len, struct lfs_pointer *out)
{
	struct lfs_pointer p = { .oid = "", .size = UINT64_MAX };
	const char *end = text + len, *line = text;
	BUF_AUTO version = BUF_INIT;

	if (len < LFS_POINTER_MIN || len > LFS_POINTER_MAX)
		return false;
	for (const char *stop; line < end; line = stop + 1) {
		stop = memchr(line, '\n', (size_t)(end - line));
		if (!stop)
			return false;
		if (line == text) {
			if (!value_of(line, (size_t)(stop - line), "version", &version) ||
			    !is_version(version.data))
				return false;
		} else if (!parse_line(line, (size_t)(stop - line), &p)) {
			return false;
		}
	}
	if (!*p.oid || p.size == UINT64_MAX)
		return false;
	*out = p;
	return true;
}

void lfs_pointer_text(const struct lfs_pointer *p, struct buf *out)
{
	buf_fmt(out,
		"version https://git-lfs.github.com/spec/v1\n"
		"oid sha256:%s\nsize %llu\n",
		p->oid, (unsigned long long)p->size);
}

void lfs_object_path(const char *oid, struct buf *out)
{
	buf_fmt(out, "%.2s/%.2s/%s", oid, oid + 2, oid);
}

static bool is_there(int dirfd, const char *path, uint64_t size)
{
	struct stat st;

	return !fstatat(dirfd, path, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
	       (uint64_t)st.st_size == size;
}

static int fill(int from, int to, const struct lfs_copy *how, struct error *err)
{
	struct digest_sum sum;

	if (digest_stream(from, to, how->what->size, &sum, err)) {
		if (err->kind != ERR_LIMIT)
			return -1;
	} else if (sum.size == how->what->size && !strcmp(sum.hex, how->what->oid)) {
		if (fchmod(to, how->mode) || (how->durable && fdatasync(to)))
			return error_sys(err, errno, "cannot write an object of git-lfs");
		return 0;
	}
	return error_set(err, ERR_CORRUPT, "an object of git-lfs is not what its name %.12s says",
			 how->what->oid);
}

int lfs_object_add(int dirfd, int from, const struct lfs_copy *how, struct error *err)
{
	char digits[TEMP_DIGITS + 1];
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO temp = BUF_INIT;
	FD_AUTO to = -1;

	lfs_object_path(how->what->oid, &path);
	if (is_there(dirfd, path.data, how->what->size))
		return 0;
	rand_hex(digits, TEMP_DIGITS);
	buf_add(&temp, path.data, 5); /* "aa/bb" */
	if (file_mkdir_p(dirfd, temp.data, 0755, err))
		return -1;
	buf_fmt(&temp, "/.%s.tmp", digits);
	to = openat(dirfd, temp.data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		return error_sys(err, errno, "cannot make an object of git-lfs");
	if (!fill(from, to, how, err)) {
		if (!renameat(dirfd, temp.data, dirfd, path.data))
			return 0;
		error_sys(err, errno, "cannot give an object of git-lfs its name");
	}
	unlinkat(dirfd, temp.data, 0);
	return -1;
}
