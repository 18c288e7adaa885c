#include "base/base.h"

#include "base/clock.h"
#include "box/markdown.h"
#include "box/report.h"
#include "wire/json.h"

static void row(struct buf *out, const char *key, const char *value)
{
	buf_fmt(out, "| %s | ", key);
	markdown_code(value, out);
	buf_str(out, " |\n");
}

static void header(const struct box *b, const struct proposed *p, struct buf *out)
{
	const struct manifest *m = &b->m;

	buf_str(out, "# Export of box ");
	markdown_code(m->name.data, out);
	buf_str(out, "\n\n| | |\n|---|---|\n");
	row(out, "base", m->base_commit.data);
	row(out, "branch of the base", m->base_branch.len ? m->base_branch.data : "(detached)");
	row(out, "proposal", p->commit.data);
	row(out, "tree", p->tree.data);
	row(out, "profile", m->profile.data);
	row(out, "tier", tier_names[m->tier]);
	row(out, "policy digest", m->policy_digest);
	buf_fmt(out, "| changes | %zu file%s, +%llu -%llu |\n", p->files.len,
		p->files.len == 1 ? "" : "s", (unsigned long long)p->files.added,
		(unsigned long long)p->files.deleted);
	buf_fmt(out, "| flagged | %zu |\n\n", p->report.flagged);
}

static void flagged(const struct proposed *p, struct buf *out)
{
	if (p->report.flagged == 0)
		return;
	buf_str(out, "## Look at these first\n\n"
		     "They can run on your machine, or change what does.\n\n"
		     "| file | why | |\n|---|---|---|\n");
	for (size_t i = 0; i < p->report.len; i++) {
		const struct gate_finding *f = &p->report.v[i];

		buf_str(out, "| ");
		markdown_code(f->path.data, out);
		buf_fmt(out, " | %s | ", f->rule);
		markdown_text(f->detail.data, out);
		buf_str(out, " |\n");
	}
	buf_char(out, '\n');
}

static void change(const struct patch_file *f, bool is_flagged, struct buf *out)
{
	buf_fmt(out, "| %c | ", f->status);
	markdown_code(f->path.data, out);
	if (f->binary)
		buf_str(out, " | binary | |");
	else
		buf_fmt(out, " | +%llu | -%llu |", (unsigned long long)f->added,
			(unsigned long long)f->deleted);
	buf_fmt(out, " %06o | %06o | %s |\n", f->old_mode, f->new_mode,
		is_flagged ? "flagged" : "");
}

/* Flagged files first, the rest by name. */
static void changes(const struct proposed *p, struct buf *out)
{
	buf_str(out, "## Changed files\n\n");
	if (p->files.len == 0) {
		buf_str(out, "None: the tree is that of the base.\n\n");
		return;
	}
	buf_str(out, "| | file | | | mode before | after | |\n|---|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < p->files.len; i++) {
		if (p->flagged[i])
			change(&p->files.v[i], true, out);
	}
	for (size_t i = 0; i < p->files.len; i++) {
		if (!p->flagged[i])
			change(&p->files.v[i], false, out);
	}
	buf_char(out, '\n');
}

static void instructions(const struct box *b, const struct proposed *p, struct buf *out)
{
	buf_str(out, "## Apply it\n\n");
	if (p->files.len == 0) {
		buf_str(out, "There is nothing to apply.\n");
		return;
	}
	buf_fmt(out,
		"In a clean work tree at the base, with stock git:\n\n"
		"    git switch --detach %s\n"
		"    git apply --index --binary --whitespace=nowarn patch.diff\n\n"
		"`git write-tree` says %s then. In the repository of the box:\n\n"
		"    git box apply %s\n",
		b->m.base_commit.data, p->tree.data, b->m.name.data);
}

void report_text(const struct box *b, const struct proposed *p, struct buf *out)
{
	header(b, p, out);
	flagged(p, out);
	changes(p, out);
	instructions(b, p, out);
}

void report_receipt(const struct box *b, const struct proposed *p, struct buf *out)
{
	const struct manifest *m = &b->m;
	JSON_AUTO *j = json_object();
	char now[CLOCK_TEXT_MAX];

	clock_text(clock_now_us(), now);
	json_object_set_new(j, "schema", json_integer(RECEIPT_SCHEMA));
	json_object_set_new(j, "id", json_text(m->id));
	json_object_set_new(j, "name", json_text(m->name.data));
	json_object_set_new(j, "tier", json_text(tier_names[m->tier]));
	json_object_set_new(j, "profile", json_text(m->profile.data));
	json_object_set_new(j, "policy_digest", json_text(m->policy_digest));
	json_object_set_new(j, "base_commit", json_text(m->base_commit.data));
	json_object_set_new(j, "base_branch",
			    m->base_branch.len ? json_text(m->base_branch.data) : json_null());
	json_object_set_new(j, "proposal", json_text(p->commit.data));
	json_object_set_new(j, "tree", json_text(p->tree.data));
	json_object_set_new(j, "exported_at", json_text(now));
	json_object_set_new(j, "records", json_array());
	json_canonical(j, out);
	buf_char(out, '\n');
}
