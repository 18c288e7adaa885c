#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "box/keep.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "wire/json.h"

#define KEEP_DIR "removed"
#define KEEP_SCHEMA 1
#define HEAD_MAX 65536
#define REF_MAX 255

static const char *const suffixes[] = { ".bundle", ".json" };

void kept_release(struct kept *k)
{
	buf_release(&k->path);
	buf_release(&k->ref);
	buf_release(&k->commit);
}

/* A ref that can stand in a shell command and in a refspec as it is. */
static bool ref_plain(const char *ref, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = ref[i];
		bool word =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		if (!word && (c == '\0' || !strchr("/_.-", c)))
			return false;
	}
	return len > 0 && len <= REF_MAX && ref[0] != '-';
}

/* "<hex> <ref>" */
static int parse_tip(const char *line, size_t len, struct buf *ref, struct buf *commit,
		     struct error *err)
{
	size_t hex = 0;

	while (hex < len && strchr("0123456789abcdef", line[hex]) && line[hex] != '\0')
		hex++;
	if ((hex != 40 && hex != 64) || hex + 1 >= len || line[hex] != ' ' ||
	    !ref_plain(line + hex + 1, len - hex - 1))
		return error_set(err, ERR_CORRUPT, "the bundle has no tip that can be named");
	buf_add(commit, line, hex);
	buf_add(ref, line + hex + 1, len - hex - 1);
	return 0;
}

int keep_parse_head(const char *text, size_t len, struct buf *ref, struct buf *commit,
		    struct error *err)
{
	const char *p = text, *end = text + len;

	for (bool first = true; p < end; first = false) {
		const char *stop = memchr(p, '\n', (size_t)(end - p));
		size_t n;

		if (!stop)
			break;
		n = (size_t)(stop - p);
		if (first && (n < 4 || memcmp(p, "# v", 3) != 0))
			break;
		if (!first && n > 0 && *p != '-' && *p != '@')
			return parse_tip(p, n, ref, commit, err);
		if (n == 0)
			break;
		p = stop + 1;
	}
	return error_set(err, ERR_CORRUPT, "that is no git bundle");
}

static void keep_path(const char *id, const char *suffix, struct buf *out)
{
	buf_fmt(out, KEEP_DIR "/%s%s", id, suffix);
}

static int read_head(int fd, struct kept *out, struct error *err)
{
	BUF_AUTO head = BUF_INIT;
	ssize_t n;

	buf_grow(&head, HEAD_MAX);
	n = pread(fd, head.data, HEAD_MAX, 0);
	if (n < 0)
		return error_sys(err, errno, "cannot read the bundle back");
	return keep_parse_head(head.data, (size_t)n, &out->ref, &out->commit, err);
}

static int write_bundle(const struct repo *repo, const struct box_root *root, const struct box *b,
			struct kept *out, struct error *err)
{
	BUF_AUTO tmp = BUF_INIT;
	BUF_AUTO path = BUF_INIT;
	FD_AUTO fd = -1;

	keep_path(b->m.id, ".bundle.tmp", &tmp);
	keep_path(b->m.id, ".bundle", &path);
	fd = openat(root->fd, tmp.data, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return error_sys(err, errno, "cannot make %s/%s", root->path.data, tmp.data);
	if (work_ops_for(b->m.tier)->bundle(repo, b, fd, err) < 0 || read_head(fd, out, err) < 0)
		return -1;
	if (fsync(fd) < 0 || renameat(root->fd, tmp.data, root->fd, path.data) < 0)
		return error_sys(err, errno, "cannot keep %s/%s", root->path.data, path.data);
	buf_fmt(&out->path, "%s/%s", root->path.data, path.data);
	return 0;
}

static int write_record(const struct box_root *root, const struct box *b, const struct kept *k,
			struct error *err)
{
	JSON_AUTO *obj = json_object();
	BUF_AUTO path = BUF_INIT;
	BUF_AUTO text = BUF_INIT;

	keep_path(b->m.id, ".json", &path);
	json_object_set_new(obj, "schema", json_integer(KEEP_SCHEMA));
	json_object_set_new(obj, "id", json_text(b->m.id));
	json_object_set_new(obj, "name", json_text(b->m.name.data));
	json_object_set_new(obj, "base", json_text(b->m.base_commit.data));
	json_object_set_new(obj, "ref", json_text(k->ref.data));
	json_object_set_new(obj, "commit", json_text(k->commit.data));
	json_object_set_new(obj, "time_us", json_integer(clock_now_us()));
	json_canonical(obj, &text);
	buf_char(&text, '\n');
	return file_write_atomic(root->fd, path.data,
				 (struct file_content){ text.data, text.len, 0600 }, err);
}

int keep_store(const struct repo *repo, const struct box_root *root, const struct box *b,
	       struct kept *out, struct error *err)
{
	struct kept k = { .path = BUF_INIT, .ref = BUF_INIT, .commit = BUF_INIT };

	if (write_bundle(repo, root, b, &k, err) < 0 || write_record(root, b, &k, err) < 0) {
		kept_release(&k);
		return error_wrap(err, "cannot keep the work of box '%s'", b->m.name.data);
	}
	*out = k;
	return 0;
}

/* ".json", or ".json.1234.tmp" that a crash left. */
static bool is_ours(const char *rest)
{
	size_t len = strlen(rest);

	for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
		size_t n = strlen(suffixes[i]);

		if (strncmp(rest, suffixes[i], n) == 0 &&
		    (len == n || strcmp(rest + len - 4, ".tmp") == 0))
			return true;
	}
	return false;
}

/* False where the file is none of ours. */
static bool id_of(const char *file, char id_out[BOX_ID_LEN + 1])
{
	char id[BOX_ID_LEN + 1] = "";

	memcpy(id, file, strnlen(file, BOX_ID_LEN));
	if (!box_id_valid(id) || !is_ours(file + BOX_ID_LEN))
		return false;
	memcpy(id_out, id, sizeof(id));
	return true;
}

/* The files of one id. */
static int files_of(const struct box_root *root, const char *id, struct strv *out,
		    struct error *err)
{
	STRV_AUTO files = STRV_INIT;
	char found[BOX_ID_LEN + 1];

	if (box_root_list(root, KEEP_DIR, &files, err) < 0)
		return -1;
	for (size_t i = 0; i < files.len; i++) {
		if (id_of(files.v[i], found) && strcmp(found, id) == 0)
			strv_addf(out, KEEP_DIR "/%s", files.v[i]);
	}
	return 0;
}

int keep_ids(const struct box_root *root, struct strv *out, struct error *err)
{
	STRV_AUTO files = STRV_INIT;

	if (box_root_list(root, KEEP_DIR, &files, err) < 0)
		return -1;
	for (size_t i = 0; i < files.len; i++) {
		char id[BOX_ID_LEN + 1];

		/* Sorted: the files of one id follow each other. */
		if (id_of(files.v[i], id) &&
		    (out->len == 0 || strcmp(out->v[out->len - 1], id) != 0))
			strv_add(out, id);
	}
	return 0;
}

bool keep_exists(const struct box_root *root, const char *id)
{
	BUF_AUTO path = BUF_INIT;

	keep_path(id, ".bundle", &path);
	return file_exists(root->fd, path.data);
}

int64_t keep_time(const struct box_root *root, const char *id)
{
	struct error ignored = ERROR_INIT;
	STRV_AUTO files = STRV_INIT;
	struct stat st;

	/* Sorted: the bundle comes first where there is one. */
	if (files_of(root, id, &files, &ignored) < 0 || files.len == 0 ||
	    fstatat(root->fd, files.v[0], &st, AT_SYMLINK_NOFOLLOW) < 0)
		return INT64_MAX;
	return (int64_t)st.st_mtim.tv_sec * 1000000;
}

int keep_drop(const struct box_root *root, const char *id, struct error *err)
{
	STRV_AUTO files = STRV_INIT;

	if (files_of(root, id, &files, err) < 0)
		return -1;
	for (size_t i = 0; i < files.len; i++) {
		if (unlinkat(root->fd, files.v[i], 0) < 0 && errno != ENOENT)
			return error_sys(err, errno, "cannot remove %s/%s", root->path.data,
					 files.v[i]);
	}
	return 0;
}
