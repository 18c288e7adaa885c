#include "base/base.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "crypto/digest.h"
#include "policy/lower-parts.h"
#include "sys/fd.h"
#include "sys/file.h"

#define SMALL_MAX 16384

/*
 * An allow-list: what programs read and what holds no secret. Never the host's
 * passwd, hosts, resolv.conf, gitconfig or npmrc, which are made here or absent.
 */
static const char *const shown[] = {
	/* system */
	"alternatives", "debian_version", "fedora-release", "ld.so.cache", "ld.so.conf",
	"ld.so.conf.d", "locale.conf", "localtime", "lsb-release", "mime.types", "os-release",
	"protocols", "redhat-release", "services", "system-release", "timezone",
	/* shells */
	"bash.bashrc", "bashrc", "inputrc", "profile", "profile.d", "zshenv", "zshrc",
	/* languages and libraries */
	"ImageMagick-*", "OpenCL", "R", "erlang", "fonts", "fpc*", "ghc", "glvnd", "gnucobol",
	"java*", "lua*", "mono", "openmpi", "perl", "php*", "pypy*", "python*", "ruby*", "texmf",
	"vulkan"
};

/* From directories that also hold secrets: private keys, passwords of package servers. */
static const char *const inner[] = { "/etc/ssl/certs",		 "/etc/ssl/cert.pem",
				     "/etc/ssl/openssl.cnf",	 "/etc/pki/tls/certs",
				     "/etc/pki/tls/openssl.cnf", "/etc/pki/tls/cert.pem",
				     "/etc/pki/ca-trust",	 "/etc/pki/java",
				     "/etc/maven/m2.conf",	 "/etc/maven/logging" };

static void put_file(struct plan_builder *out, const char *dst, const char *text)
{
	struct plan_step step = {
		.op = PLAN_FILE, .mode = 0644, .dst = dst, .data = text, .data_len = strlen(text)
	};

	plan_mount(out, &step);
}

/* A login name that fits into passwd's colons. */
static bool name_fits(const char *name)
{
	if (!*name || strlen(name) > 32 || strcmp(name, "nobody") == 0)
		return false;
	return strcspn(name, ":\n\t ,/\\") == strlen(name);
}

const char *lower_user(const struct lower_box *box)
{
	return name_fits(box->user) && strcmp(box->user, "root") != 0 ? box->user : "box";
}

const char *lower_shell(void)
{
	return access("/bin/bash", X_OK) ? "/bin/sh" : "/bin/bash";
}

void lower_accounts(struct lower *l, const char *home)
{
	const struct lower_box *box = l->box;
	const char *user = lower_user(box);
	BUF_AUTO passwd = BUF_INIT;
	BUF_AUTO group = BUF_INIT;

	buf_str(&passwd, "root:x:0:0:root:/root:/usr/sbin/nologin\n");
	buf_fmt(&passwd, "%s:x:%u:%u:%s:%s:%s\n", user, box->uid, box->gid, user,
		strcspn(home, ":\n") == strlen(home) ? home : "/", lower_shell());
	if (box->uid != 65534)
		buf_str(&passwd, "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n");
	buf_str(&group, "root:x:0:\ntty:x:5:\n");
	if (box->gid != 0 && box->gid != 5)
		buf_fmt(&group, "%s:x:%u:\n", user, box->gid);
	if (box->gid != 65534)
		buf_str(&group, "nogroup:x:65534:\n");
	put_file(l->out, "/etc/passwd", passwd.data);
	put_file(l->out, "/etc/group", group.data);
	lower_may_read(l, "/etc");
}

void lower_etc_made(struct lower *l)
{
	const char *name = l->box->name;
	char machine[DIGEST_HEX + 1];
	BUF_AUTO text = BUF_INIT;

	put_file(l->out, "/etc/nsswitch.conf",
		 "passwd: files\ngroup: files\nshadow: files\nhosts: files\nnetworks: files\n"
		 "protocols: files\nservices: files\nethers: files\nrpc: files\n");
	buf_fmt(&text,
		"127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n127.0.1.1\t%s\n",
		name);
	put_file(l->out, "/etc/hosts", text.data);
	buf_reset(&text);
	buf_fmt(&text, "%s\n", name);
	put_file(l->out, "/etc/hostname", text.data);
	put_file(l->out, "/etc/resolv.conf", "# no name service in this box\n");
	/* Stable for one box, and nothing that tells boxes of one machine from others. */
	digest_hex(l->box->id, strlen(l->box->id), machine);
	buf_reset(&text);
	buf_fmt(&text, "%.32s\n", machine);
	put_file(l->out, "/etc/machine-id", text.data);
	lower_symlink(l->out, "/etc/mtab", "/proc/self/mounts");
}

/* A link into what is shown anyway stays a link; one that leads elsewhere is not followed. */
static bool link_stays(const char *text)
{
	return strncmp(text, "/usr/", 5) == 0 || strncmp(text, "../usr/", 7) == 0 ||
	       strncmp(text, "/etc/alternatives/", 18) == 0 || !strchr(text, '/');
}

/*
 * A small file goes into the plan as it is now: that is a quarter of the cost of
 * a mount, at every start of a command. Only what everybody may read: we may be
 * root and the box is not.
 */
static bool copy_small(struct lower *l, const char *path, const struct stat *st)
{
	struct error ignored = ERROR_INIT;
	BUF_AUTO text = BUF_INIT;

	if (st->st_size > SMALL_MAX || !(st->st_mode & S_IROTH) ||
	    file_read(AT_FDCWD, path, SMALL_MAX, &text, &ignored))
		return false;
	struct plan_step step = {
		.op = PLAN_FILE, .mode = 0644, .dst = path, .data = text.data, .data_len = text.len
	};
	plan_mount(l->out, &step);
	return true;
}

static void show(struct lower *l, const char *path)
{
	char text[PATH_MAX];
	struct stat st;

	if (lstat(path, &st))
		return;
	if (S_ISREG(st.st_mode) && copy_small(l, path, &st))
		return;
	if (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode)) {
		lower_step(l->out, PLAN_BIND, PLAN_RO | PLAN_NOEXEC, path, path);
		return;
	}
	ssize_t n = S_ISLNK(st.st_mode) ? readlink(path, text, sizeof(text) - 1) : -1;
	if (n <= 0)
		return;
	text[n] = '\0';
	if (link_stays(text))
		lower_symlink(l->out, path, text);
}

/* The only pattern there is: a star at the end. */
static bool matches(const char *pattern, const char *name)
{
	while (*pattern && *pattern != '*' && *pattern == *name) {
		pattern++;
		name++;
	}
	return *pattern == '*' || (!*pattern && !*name);
}

static bool wanted(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
		if (matches(shown[i], name))
			return true;
	return false;
}

static void list_names(struct strv *names)
{
	int fd = open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;

	if (!dir) {
		fd_close(&fd);
		return;
	}
	while ((e = readdir(dir)))
		if (wanted(e->d_name))
			strv_add(names, e->d_name);
	closedir(dir);
	strv_sort(names);
}

void lower_etc_host(struct lower *l)
{
	STRV_AUTO names = STRV_INIT;
	BUF_AUTO path = BUF_INIT;

	list_names(&names);
	for (size_t i = 0; i < names.len; i++) {
		buf_reset(&path);
		buf_fmt(&path, "/etc/%s", names.v[i]);
		show(l, path.data);
	}
	for (size_t i = 0; i < ARRAY_SIZE(inner); i++)
		show(l, inner[i]);
}
