#include "base/base.h"

#include "sandbox/plan.h"

/* One line of a mount table; point is decoded, options are its own ("ro,nosuid"). */
struct line {
	struct buf point;
	char options[128];
};

static bool is_mount(const struct plan_mount *m)
{
	return m->op != PLAN_DIR && m->op != PLAN_FILE && m->op != PLAN_SYMLINK;
}

static bool is_octal(const char *s)
{
	for (int i = 0; i < 3; i++)
		if (s[i] < '0' || s[i] > '7')
			return false;
	return true;
}

/* The kernel writes blank, tab, newline and backslash as \ooo. */
static void decode(const char *s, size_t len, struct buf *out)
{
	for (size_t i = 0; i < len; i++) {
		if (s[i] == '\\' && len - i >= 4 && is_octal(s + i + 1)) {
			buf_char(out, (char)((s[i + 1] - '0') << 6 | (s[i + 2] - '0') << 3 |
					     (s[i + 3] - '0')));
			i += 3;
		} else {
			buf_char(out, s[i]);
		}
	}
}

/*
 * "ID PARENT DEV ROOT POINT OPTIONS ...". The next line, or NULL where this one is not of that
 * form.
 */
static const char *read_line(const char *at, struct line *out)
{
	const char *field[6];
	size_t len[6];

	for (size_t i = 0; i < ARRAY_SIZE(field); i++) {
		field[i] = at;
		len[i] = strcspn(at, " \n");
		if (at[len[i]] != ' ')
			return NULL;
		at += len[i] + 1;
	}
	if (len[5] >= sizeof(out->options))
		return NULL;
	buf_reset(&out->point);
	decode(field[4], len[4], &out->point);
	(void)snprintf(out->options, sizeof(out->options), "%.*s", (int)len[5], field[5]);
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

static bool has_option(const char *options, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = options; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, name, n) == 0 && (at[n] == ',' || !at[n]))
			return true;
	return false;
}

static bool is_read_only(const struct plan_mount *m)
{
	return m->flags & PLAN_RO || m->op == PLAN_MASK || m->op == PLAN_OVERLAY;
}

/* The name of an option that the plan wants and the mount lacks, or NULL. */
static const char *lacks(const struct plan_mount *m, const char *options)
{
	bool devices = m->flags & PLAN_DEV || m->op == PLAN_DEVPTS || m->op == PLAN_MASK;

	if (is_read_only(m) && !has_option(options, "ro"))
		return "ro";
	if (!has_option(options, "nosuid"))
		return "nosuid";
	if (!devices && !has_option(options, "nodev"))
		return "nodev";
	return m->flags & PLAN_NOEXEC && !has_option(options, "noexec") ? "noexec" : NULL;
}

static bool lies_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && path[n] == '/';
}

/* The last step that mounts at point, or else the last recursive one around it. */
static const struct plan_mount *step_for(const struct plan *p, const char *point)
{
	const struct plan_mount *around = NULL, *exact = NULL;

	for (size_t i = 0; i < p->mounts.len; i++) {
		const struct plan_mount *m = &plan_mounts(p)[i];
		const char *dst = plan_str(p, m->dst);
		if (is_mount(m) && strcmp(dst, point) == 0)
			exact = m;
		else if (m->op == PLAN_BIND && m->flags & PLAN_REC && lies_below(point, dst))
			around = m;
	}
	return exact ? exact : around;
}

static int check_line(const struct plan *p, const struct line *l, struct error *err)
{
	static const struct plan_mount root = { .op = PLAN_TMPFS, .flags = PLAN_RO };
	bool top = strcmp(l->point.data, "/") == 0 && p->bits & PLAN_ROOT_RO;
	const struct plan_mount *m = top ? &root : step_for(p, l->point.data);

	if (!m)
		return error_set(err, ERR_REFUSED,
				 "'%.256s' is mounted, which the plan does not say", l->point.data);
	const char *missing = lacks(m, l->options);
	if (missing)
		return error_set(err, ERR_REFUSED, "'%.256s' is mounted without %s", l->point.data,
				 missing);
	return 0;
}

static bool has_point(const char *table, const char *point)
{
	struct line l = { .point = BUF_INIT };
	bool found = false;

	for (const char *at = table; at && *at && !found;) {
		at = read_line(at, &l);
		found = at && strcmp(l.point.data, point) == 0;
	}
	buf_release(&l.point);
	return found;
}

static int check_lines(const struct plan *p, const char *table, struct error *err)
{
	struct line l = { .point = BUF_INIT };
	int r = 0;

	for (const char *at = table; *at && !r;) {
		at = read_line(at, &l);
		if (!at) {
			r = error_set(err, ERR_CORRUPT, "a mount table that cannot be read");
			break;
		}
		r = check_line(p, &l, err);
	}
	buf_release(&l.point);
	return r;
}

int plan_compare(const struct plan *p, const char *table, struct error *err)
{
	if (check_lines(p, table, err))
		return -1;
	for (size_t i = 0; i < p->mounts.len; i++) {
		const struct plan_mount *m = &plan_mounts(p)[i];
		const char *dst = plan_str(p, m->dst);
		if (is_mount(m) && !(m->flags & PLAN_OPTIONAL) && !has_point(table, dst))
			return error_set(err, ERR_REFUSED, "nothing is mounted at '%.256s'", dst);
	}
	return 0;
}
