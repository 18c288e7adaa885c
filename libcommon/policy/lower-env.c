#include "base/base.h"

#include "base/alloc.h"
#include "base/env.h"
#include "policy/lower-parts.h"
#include "sys/file.h"

#define PATH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/*
 * Sockets of the operator, and what would change how programs inside load code or find a
 * repository.
 */
static const char *const never[] = { "DBUS_", "GIT_", "GPG_AGENT_INFO",
				     "LD_",   "SSH_", "XDG_RUNTIME_DIR" };

static bool is_never(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(never); i++)
		if (strncmp(name, never[i], strlen(never[i])) == 0)
			return true;
	return false;
}

/* Sets "NAME=VALUE", in the place of an earlier NAME. */
static void put(struct strv *env, const char *entry)
{
	size_t n = strcspn(entry, "=");

	if (!entry[n])
		return;
	for (size_t i = 0; i < env->len; i++) {
		if (strncmp(env->v[i], entry, n + 1) == 0) {
			free(env->v[i]);
			env->v[i] = xstrdup(entry);
			return;
		}
	}
	strv_add(env, entry);
}

static void put_pair(struct strv *env, const char *name, const char *value)
{
	BUF_AUTO entry = BUF_INIT;

	buf_fmt(&entry, "%s=%s", name, value);
	put(env, entry.data);
}

struct path_maker {
	const struct policy *p;
	const struct lower_box *box;
	struct strv dirs;
};

/*
 * A directory of the operator's PATH, by its name or its canonical one, whichever can be seen
 * inside.
 */
static void path_add(struct path_maker *m, const char *dir)
{
	BUF_AUTO canonical = BUF_INIT;
	struct error ignored = ERROR_INIT;
	const char *seen = dir;

	if (dir[0] != '/' || strv_has(&m->dirs, dir) || access(dir, X_OK))
		return;
	if (!lower_visible(m->p, m->box, dir)) {
		if (file_canonical(dir, &canonical, &ignored))
			return;
		seen = canonical.data;
	}
	if (lower_visible(m->p, m->box, seen) && !strv_has(&m->dirs, seen))
		strv_add(&m->dirs, seen);
}

static void path_add_all(struct path_maker *m, const char *path)
{
	BUF_AUTO dir = BUF_INIT;

	while (*path) {
		size_t n = strcspn(path, ":");
		buf_reset(&dir);
		buf_add(&dir, path, n);
		path_add(m, dir.data);
		path += n + (path[n] == ':');
	}
}

static void put_path(const struct policy *p, const struct lower_box *box, struct strv *env)
{
	struct path_maker own = { .p = p, .box = box, .dirs = STRV_INIT };
	struct path_maker all = { .p = p, .box = box, .dirs = STRV_INIT };
	const char *path = strv_has(&p->env, "PATH") ? env_foreign("PATH") : NULL;
	BUF_AUTO value = BUF_INIT;

	path_add_all(&own, path && *path ? path : PATH_DEFAULT);
	/* The profile's come first, but the operator's order decides among those that PATH has. */
	for (size_t i = 0; i < p->path.len; i++)
		if (!strv_has(&own.dirs, p->path.v[i]))
			path_add(&all, p->path.v[i]);
	for (size_t i = 0; i < own.dirs.len; i++)
		path_add(&all, own.dirs.v[i]);
	path_add_all(&all, PATH_DEFAULT);
	for (size_t i = 0; i < all.dirs.len; i++)
		buf_fmt(&value, "%s%s", i ? ":" : "", all.dirs.v[i]);
	put_pair(env, "PATH", value.data);
	strv_release(&own.dirs);
	strv_release(&all.dirs);
}

static void pass(const struct policy *p, const struct lower_box *box, struct strv *env)
{
	for (size_t i = 0; i < p->env.len; i++) {
		const char *name = p->env.v[i];
		const char *value = is_never(name) ? NULL : env_foreign(name);
		/* A path that is not there inside would only mislead. */
		if (value && (value[0] != '/' || lower_visible(p, box, value)))
			put_pair(env, name, value);
	}
}

void lower_env(const struct policy *p, const struct lower_box *box, const char *const *extra,
	       struct strv *out)
{
	put_pair(out, "SHELL", lower_shell());
	pass(p, box, out);
	put_path(p, box, out);
	put_pair(out, "HOME", lower_home(box));
	put_pair(out, "USER", lower_user(box));
	put_pair(out, "LOGNAME", lower_user(box));
	put_pair(out, "TMPDIR", "/tmp");
	put_pair(out, "GIT_BOX", box->name);
	for (size_t i = 0; i < p->setenv.len; i++)
		put(out, p->setenv.v[i]);
	for (size_t i = 0; extra && extra[i]; i++)
		put(out, extra[i]);
}
