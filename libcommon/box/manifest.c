#include "base/base.h"

#include <errno.h>
#include <stdio.h>

#include "box/manifest.h"
#include "sys/file.h"
#include "wire/json.h"

#define MANIFEST_SCHEMA 1
#define PATH_BYTES_MAX 4095
#define BRANCH_MAX 1024
#define WORD_MAX 64

const char *const box_state_names[] = { "created", "proposed", "applied", "aborted", NULL };

/* Every key that must be there, and those that may: anything else is not a manifest of this
 * version. */
static const char *const keys[] = {
	"schema",	 "id",		"name",	     "state",	    "tier",	 "profile",
	"policy_digest", "base_commit", "base_tree", "base_branch", "repo_top",	 "home",
	"objects",	 "uid",		"gid",	     "created_us",  "temporary",
};
static const char proposal_key[] = "proposal";
static const char applied_key[] = "applied";
static const char submodules_key[] = "submodules";

void manifest_init(struct manifest *m)
{
	*m = (struct manifest){
		.name = BUF_INIT,
		.profile = BUF_INIT,
		.base_commit = BUF_INIT,
		.base_tree = BUF_INIT,
		.base_branch = BUF_INIT,
		.repo_top = BUF_INIT,
		.home = BUF_INIT,
		.objects = STRV_INIT,
		.submodules = STRV_INIT,
		.proposal = BUF_INIT,
		.applied = BUF_INIT,
	};
}

void manifest_release(struct manifest *m)
{
	buf_release(&m->name);
	buf_release(&m->profile);
	buf_release(&m->base_commit);
	buf_release(&m->base_tree);
	buf_release(&m->base_branch);
	buf_release(&m->repo_top);
	buf_release(&m->home);
	strv_release(&m->objects);
	strv_release(&m->submodules);
	buf_release(&m->proposal);
	buf_release(&m->applied);
}

static bool is_hex(const char *s, size_t len)
{
	return strlen(s) == len && strspn(s, "0123456789abcdef") == len;
}

static int get_text(const json_t *obj, const char *key, size_t max, struct buf *out,
		    struct error *err)
{
	const char *text;

	if (json_str(obj, key, max, &text, err) < 0)
		return -1;
	buf_reset(out);
	buf_str(out, text);
	return 0;
}

/* Index of the key's word in a NULL-terminated list. */
static int get_word(const json_t *obj, const char *key, const char *const *words, struct error *err)
{
	const char *text;

	if (json_str(obj, key, WORD_MAX, &text, err) < 0)
		return -1;
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], text) == 0)
			return i;
	}
	return error_set(err, ERR_CORRUPT, "'%s' has an unknown value", key);
}

static int get_id(const json_t *obj, struct manifest *m, struct error *err)
{
	const char *id;

	if (json_str(obj, "id", BOX_ID_LEN, &id, err) < 0)
		return -1;
	if (!box_id_valid(id))
		return error_set(err, ERR_CORRUPT, "'id' is not an id");
	memcpy(m->id, id, BOX_ID_LEN + 1);
	return 0;
}

static int get_digest(const json_t *obj, struct manifest *m, struct error *err)
{
	const char *digest;

	if (json_str(obj, "policy_digest", sizeof(m->policy_digest) - 1, &digest, err) < 0)
		return -1;
	if (!is_hex(digest, sizeof(m->policy_digest) - 1))
		return error_set(err, ERR_CORRUPT, "'policy_digest' is not a SHA-256");
	memcpy(m->policy_digest, digest, sizeof(m->policy_digest));
	return 0;
}

static int get_oid(const json_t *obj, const char *key, struct buf *out, struct error *err)
{
	if (get_text(obj, key, 64, out, err) < 0)
		return -1;
	if (!is_hex(out->data, 40) && !is_hex(out->data, 64))
		return error_set(err, ERR_CORRUPT, "'%s' is not an object id", key);
	return 0;
}

static int get_u32(const json_t *obj, const char *key, uint32_t *out, struct error *err)
{
	uint64_t value;

	if (json_u64(obj, key, &value, err) < 0)
		return -1;
	if (value >= UINT32_MAX) /* (uid_t)-1 means "leave it" to many system calls */
		return error_set(err, ERR_CORRUPT, "'%s' is out of range", key);
	*out = (uint32_t)value;
	return 0;
}

/* Nothing that would lead elsewhere than it reads. */
static int check_parts(const char *key, const char *path, struct error *err)
{
	for (const char *p = path;; p++) {
		size_t part = strcspn(p, "/");

		if (strncmp(p, "..", part) == 0 && (part == 1 || part == 2))
			return error_set(err, ERR_CORRUPT, "'%s' has '.' or '..' in it", key);
		p += part;
		if (!*p)
			return 0;
	}
}

static int check_path(const char *key, const char *path, struct error *err)
{
	if (path[0] != '/' || strlen(path) > PATH_BYTES_MAX)
		return error_set(err, ERR_CORRUPT, "'%s' is not an absolute path", key);
	return check_parts(key, path + 1, err);
}

static int get_path(const json_t *obj, const char *key, bool may_be_empty, struct buf *out,
		    struct error *err)
{
	if (json_path_get(obj, key, out, err) < 0)
		return -1;
	return may_be_empty && out->len == 0 ? 0 : check_path(key, out->data, err);
}

static int get_objects(const json_t *obj, struct manifest *m, struct error *err)
{
	if (json_pathv_get(obj, "objects", &m->objects, err) < 0)
		return -1;
	if (m->objects.len > MANIFEST_OBJECTS_MAX)
		return error_set(err, ERR_CORRUPT, "'objects' has more than %d entries",
				 MANIFEST_OBJECTS_MAX);
	for (size_t i = 0; i < m->objects.len; i++) {
		if (check_path("objects", m->objects.v[i], err) < 0)
			return -1;
	}
	return 0;
}

/* After the key "objects"; a box without submodules has no such key. */
static int get_submodules(const json_t *obj, struct manifest *m, struct error *err)
{
	if (!json_object_get(obj, submodules_key))
		return 0;
	if (json_pathv_get(obj, submodules_key, &m->submodules, err) < 0)
		return -1;
	if (m->submodules.len > MANIFEST_SUBMODULES_MAX)
		return error_set(err, ERR_CORRUPT, "'submodules' has more than %d entries",
				 MANIFEST_SUBMODULES_MAX);
	for (size_t i = 0; i < m->submodules.len; i++) {
		const char *path = m->submodules.v[i];

		if (!*path || *path == '/' || strlen(path) > PATH_BYTES_MAX)
			return error_set(err, ERR_CORRUPT, "'submodules' has no relative path");
		if (check_parts(submodules_key, path, err) < 0)
			return -1;
	}
	return 0;
}

static int get_base(const json_t *obj, struct manifest *m, struct error *err)
{
	if (get_oid(obj, "base_commit", &m->base_commit, err) < 0 ||
	    get_oid(obj, "base_tree", &m->base_tree, err) < 0 ||
	    json_path_get(obj, "base_branch", &m->base_branch, err) < 0)
		return -1;
	if (m->base_commit.len != m->base_tree.len)
		return error_set(err, ERR_CORRUPT,
				 "'base_commit' and 'base_tree' have different formats");
	if (m->base_branch.len > BRANCH_MAX || m->base_branch.data[0] == '-')
		return error_set(err, ERR_CORRUPT, "'base_branch' is not a branch");
	return 0;
}

static int get_names(const json_t *obj, struct manifest *m, struct error *err)
{
	struct error why = ERROR_INIT;

	if (get_text(obj, "name", BOX_NAME_MAX, &m->name, err) < 0 ||
	    get_text(obj, "profile", BOX_NAME_MAX, &m->profile, err) < 0)
		return -1;
	if (box_name_check(m->name.data, &why) < 0)
		return error_set(err, ERR_CORRUPT, "'name' cannot name a box");
	if (box_name_check(m->profile.data, &why) < 0)
		return error_set(err, ERR_CORRUPT, "'profile' cannot name a profile");
	return 0;
}

static int get_kinds(const json_t *obj, struct manifest *m, struct error *err)
{
	int state = get_word(obj, "state", box_state_names, err);
	int tier = state < 0 ? -1 : get_word(obj, "tier", tier_names, err);

	if (tier < 0)
		return -1;
	m->state = (enum box_state)state;
	m->tier = (enum tier)tier;
	return 0;
}

static int get_numbers(const json_t *obj, struct manifest *m, struct error *err)
{
	uint64_t created;

	if (get_u32(obj, "uid", &m->uid, err) < 0 || get_u32(obj, "gid", &m->gid, err) < 0 ||
	    json_u64(obj, "created_us", &created, err) < 0 ||
	    json_flag(obj, "temporary", &m->temporary, err) < 0)
		return -1;
	if (created > INT64_MAX)
		return error_set(err, ERR_CORRUPT, "'created_us' is out of range");
	m->created_us = (int64_t)created;
	return 0;
}

static int check_shape(const json_t *obj, struct error *err)
{
	uint64_t schema;
	size_t want;

	if (json_u64(obj, "schema", &schema, err) < 0)
		return -1;
	if (schema != MANIFEST_SCHEMA) {
		error_set(err, ERR_CORRUPT, "it has version %llu, this git box reads version %d",
			  (unsigned long long)schema, MANIFEST_SCHEMA);
		return error_hint(err, "a newer git box made it");
	}
	want = ARRAY_SIZE(keys) + (json_object_get(obj, proposal_key) != NULL) +
	       (json_object_get(obj, applied_key) != NULL) +
	       (json_object_get(obj, submodules_key) != NULL);
	if (json_object_size(obj) != want)
		return error_set(err, ERR_CORRUPT, "it has %zu keys instead of %zu",
				 json_object_size(obj), want);
	return 0;
}

/* After the base and the state. */
static int get_commit(const json_t *obj, const char *key, struct manifest *m, struct buf *out,
		      struct error *err)
{
	if (!json_object_get(obj, key))
		return 0;
	if (get_oid(obj, key, out, err) < 0)
		return -1;
	if (out->len != m->base_commit.len)
		return error_set(err, ERR_CORRUPT, "'base_commit' and '%s' have different formats",
				 key);
	return 0;
}

static int get_commits(const json_t *obj, struct manifest *m, struct error *err)
{
	if (get_commit(obj, proposal_key, m, &m->proposal, err) < 0 ||
	    get_commit(obj, applied_key, m, &m->applied, err) < 0)
		return -1;
	if (m->state == BOX_PROPOSED && m->proposal.len == 0)
		return error_set(err, ERR_CORRUPT, "it is proposed without a proposal");
	return 0;
}

static int fill(const json_t *obj, struct manifest *m, struct error *err)
{
	if (check_shape(obj, err) < 0 || get_id(obj, m, err) < 0 || get_names(obj, m, err) < 0 ||
	    get_kinds(obj, m, err) < 0 || get_digest(obj, m, err) < 0 ||
	    get_base(obj, m, err) < 0 || get_commits(obj, m, err) < 0 ||
	    get_path(obj, "repo_top", false, &m->repo_top, err) < 0 ||
	    get_path(obj, "home", true, &m->home, err) < 0 || get_objects(obj, m, err) < 0 ||
	    get_submodules(obj, m, err) < 0)
		return -1;
	return get_numbers(obj, m, err);
}

int manifest_parse(const char *text, size_t len, struct manifest *out, struct error *err)
{
	JSON_AUTO *obj = json_parse(text, len, MANIFEST_MAX, err);
	struct manifest m;

	if (!obj)
		return -1;
	manifest_init(&m);
	if (fill(obj, &m, err) < 0) {
		manifest_release(&m);
		return -1;
	}
	*out = m;
	return 0;
}

void manifest_text(const struct manifest *m, struct buf *out)
{
	JSON_AUTO *obj = json_object();

	json_object_set_new(obj, "schema", json_integer(MANIFEST_SCHEMA));
	json_object_set_new(obj, "id", json_text(m->id));
	json_object_set_new(obj, "name", json_text(m->name.data));
	json_object_set_new(obj, "state", json_text(box_state_names[m->state]));
	json_object_set_new(obj, "tier", json_text(tier_names[m->tier]));
	json_object_set_new(obj, "profile", json_text(m->profile.data));
	json_object_set_new(obj, "policy_digest", json_text(m->policy_digest));
	json_object_set_new(obj, "base_commit", json_text(m->base_commit.data));
	json_object_set_new(obj, "base_tree", json_text(m->base_tree.data));
	json_object_set_new(obj, "base_branch", json_path(m->base_branch.data));
	json_object_set_new(obj, "repo_top", json_path(m->repo_top.data));
	json_object_set_new(obj, "home", json_path(m->home.data));
	json_object_set_new(obj, "objects", json_pathv(&m->objects));
	json_object_set_new(obj, "uid", json_integer(m->uid));
	json_object_set_new(obj, "gid", json_integer(m->gid));
	json_object_set_new(obj, "created_us", json_integer(m->created_us));
	json_object_set_new(obj, "temporary", json_boolean(m->temporary));
	if (m->submodules.len > 0)
		json_object_set_new(obj, submodules_key, json_pathv(&m->submodules));
	if (m->proposal.len > 0)
		json_object_set_new(obj, proposal_key, json_text(m->proposal.data));
	if (m->applied.len > 0)
		json_object_set_new(obj, applied_key, json_text(m->applied.data));
	json_canonical(obj, out);
	buf_char(out, '\n');
}

static int read_file(int box_fd, const char *file, struct manifest *out, struct error *err)
{
	BUF_AUTO text = BUF_INIT;

	if (file_read(box_fd, file, MANIFEST_MAX, &text, err) < 0)
		return -1;
	if (manifest_parse(text.data, text.len, out, err) < 0)
		return error_wrap(err, "%s is damaged", file);
	return 0;
}

int manifest_read(int box_fd, struct manifest *out, struct error *err)
{
	return read_file(box_fd, MANIFEST_FILE, out, err);
}

int manifest_read_removed(int box_fd, struct manifest *out, struct error *err)
{
	return read_file(box_fd, MANIFEST_REMOVED, out, err);
}

int manifest_prepare(int box_fd, const struct manifest *m, struct error *err)
{
	BUF_AUTO text = BUF_INIT;

	manifest_text(m, &text);
	return file_write_atomic(box_fd, MANIFEST_READY,
				 (struct file_content){ text.data, text.len, 0600 }, err);
}

int manifest_publish(int box_fd, struct error *err)
{
	if (renameat(box_fd, MANIFEST_READY, box_fd, MANIFEST_FILE))
		return error_sys(err, errno, "cannot put the box's manifest in its place");
	return 0;
}

int manifest_write(int box_fd, const struct manifest *m, struct error *err)
{
	BUF_AUTO text = BUF_INIT;

	manifest_text(m, &text);
	return file_write_atomic(box_fd, MANIFEST_FILE,
				 (struct file_content){ text.data, text.len, 0600 }, err);
}
