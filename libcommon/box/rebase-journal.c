#include "base/base.h"

#include <errno.h>
#include <unistd.h>

#include "box/rebase-journal.h"
#include "sys/file.h"
#include "wire/json.h"

#define JOURNAL_SCHEMA 1
#define JOURNAL_MAX (64u << 10)

void rebase_journal_release(struct rebase_journal *j)
{
	buf_release(&j->from);
	buf_release(&j->to);
	buf_release(&j->old_commit);
	buf_release(&j->commit);
	buf_release(&j->tree);
	buf_release(&j->branch);
}

int rebase_journal_write(int box_fd, const struct rebase_journal *j, struct error *err)
{
	JSON_AUTO *obj = json_object();
	BUF_AUTO text = BUF_INIT;

	json_object_set_new(obj, "schema", json_integer(JOURNAL_SCHEMA));
	json_object_set_new(obj, "from", json_text(j->from.data));
	json_object_set_new(obj, "to", json_text(j->to.data));
	json_object_set_new(obj, "old_commit", json_text(j->old_commit.data));
	json_object_set_new(obj, "commit", json_text(j->commit.data));
	json_object_set_new(obj, "tree", json_text(j->tree.data));
	json_object_set_new(obj, "branch", json_path(j->branch.data));
	json_canonical(obj, &text);
	buf_char(&text, '\n');
	return file_write_atomic(box_fd, REBASE_FILE,
				 (struct file_content){ text.data, text.len, 0600 }, err);
}

static int get_oid(const json_t *obj, const char *key, struct buf *out, struct error *err)
{
	const char *text;
	size_t len;

	if (json_str(obj, key, 64, &text, err) < 0)
		return -1;
	len = strspn(text, "0123456789abcdef");
	if ((len != 40 && len != 64) || text[len])
		return error_set(err, ERR_CORRUPT, "'%s' is not an object id", key);
	buf_str(out, text);
	return 0;
}

static int fill(const json_t *obj, struct rebase_journal *j, struct error *err)
{
	uint64_t schema;

	if (json_u64(obj, "schema", &schema, err) < 0)
		return -1;
	if (schema != JOURNAL_SCHEMA)
		return error_set(err, ERR_CORRUPT, "a newer git box wrote it");
	return get_oid(obj, "from", &j->from, err) || get_oid(obj, "to", &j->to, err) ||
			       get_oid(obj, "old_commit", &j->old_commit, err) ||
			       get_oid(obj, "commit", &j->commit, err) ||
			       get_oid(obj, "tree", &j->tree, err) ||
			       json_path_get(obj, "branch", &j->branch, err) ?
		       -1 :
		       0;
}

int rebase_journal_read(int box_fd, struct rebase_journal *out, struct error *err)
{
	struct rebase_journal j = REBASE_JOURNAL_INIT;
	JSON_AUTO *obj = NULL;
	BUF_AUTO text = BUF_INIT;

	if (file_read(box_fd, REBASE_FILE, JOURNAL_MAX, &text, err) < 0)
		return -1;
	obj = json_parse(text.data, text.len, JOURNAL_MAX, err);
	if (!obj || fill(obj, &j, err) < 0) {
		rebase_journal_release(&j);
		return error_wrap(err, REBASE_FILE " is damaged");
	}
	*out = j;
	return 0;
}

int rebase_journal_drop(int box_fd, struct error *err)
{
	static const char *const files[] = { REBASE_FILE, REBASE_DATA };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (unlinkat(box_fd, files[i], 0) < 0 && errno != ENOENT)
			return error_sys(err, errno, "cannot remove %s", files[i]);
	}
	return 0;
}
