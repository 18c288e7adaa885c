/*
 * gate-parts: what the gate is made of. Included by store/gate*.c and their
 * tests only. All but gate_fetch() is pure.
 */
#ifndef STORE_GATE_PARTS_H
#define STORE_GATE_PARTS_H

#include "store/changes.h"
#include "store/gate.h"

#define MODE_TREE 0040000
#define MODE_FILE 0100644
#define MODE_PROGRAM 0100755
#define MODE_LINK 0120000
#define MODE_GITLINK 0160000

/* Every rule; gate_rules[] says how it is called, how grave it is and why. */
enum gate_rule {
	RULE_NONE,
	/* names */
	RULE_NAME_GIT,
	RULE_NAME_PARTS,
	RULE_NAME_CONTROL,
	RULE_NAME_UTF8,
	RULE_NAME_LENGTH,
	RULE_PATH_LENGTH,
	RULE_PATH_DEPTH,
	RULE_NAME_CASE,
	RULE_NAME_TWICE,
	/* entries and objects */
	RULE_CHANGES,
	RULE_MODE,
	RULE_SUBMODULE_NEW,
	RULE_SUBMODULE_MOVED,
	RULE_SIZE,
	RULE_OBJECT,
	RULE_TREE,
	RULE_MODULES,
	/* symlinks */
	RULE_LINK_TARGET,
	RULE_LINK_ABSOLUTE,
	RULE_LINK_ESCAPES,
	RULE_LINK_WINDS,
	RULE_LINK_GIT,
	RULE_LINK_SPECIAL,
	/* flagged from here on */
	RULE_FLAG_UTF8,
	RULE_FLAG_CASE,
	RULE_FLAG_BACKSLASH,
	RULE_FLAG_CI,
	RULE_FLAG_HOOKS,
	RULE_FLAG_GIT,
	RULE_FLAG_SHELL,
	RULE_FLAG_EDITOR,
	RULE_FLAG_AGENT,
	RULE_FLAG_BUILD,
	RULE_FLAG_SCRIPTS,
	RULE_FLAG_PACKAGE,
	RULE_FLAG_PROGRAM,
	RULE_FLAG_EXECUTABLE,
	RULE_FLAG_PLAIN,
	RULE_FLAG_TYPE,
	RULE_FLAG_SUBMODULE,
	RULE_FLAG_REPOSITORY,
	RULE_MAX
};

struct gate_rule_row {
	const char *id;
	enum gate_severity severity;
	const char *text;
};
extern const struct gate_rule_row gate_rules[RULE_MAX];

/* Adds a finding; its detail is the rule's text, then more where that is not NULL. */
void gate_add(struct gate_report *r, enum gate_rule rule, const char *path, const char *more);
/* The order that struct gate_report promises. */
void gate_sort(struct gate_report *r);

/* gate-names.c. The first thing that is wrong with one component, or with the length of a path;
 * RULE_NONE, or a flag where that is all. */
enum gate_rule gate_name_rule(const char *name, const struct gate_limits *limits);
enum gate_rule gate_path_rule(const char *path, const struct gate_limits *limits);
/* A key that two names share where some file system (NTFS, APFS, HFS+) takes them for one. Appended
 * to out, without a NUL. */
void gate_fold(const char *name, struct buf *out);
/* What no name, link and .gitmodules may hold: control characters and those that turn the writing
 * direction round. In text, newline, tab and a CR before a newline are fine. */
bool gate_has_control(const char *s, size_t len, bool text);

/* gate-links.c. What is wrong with a symlink at path (relative to the tree's top) to target. */
enum gate_rule gate_link_rule(const char *path, const char *target, size_t len);

/* gate-hosts.c. The flag of a file that some program of the host runs or obeys, or RULE_NONE. */
enum gate_rule gate_host_rule(const char *path);
/*
 * Sorted, small letters. "name" is a file in any directory, "name/" everything below a directory of
 * that name (or what stands in its place), "parent/..." only directly below that one.
 */
struct gate_host {
	const char *name;
	enum gate_rule rule;
};
extern const struct gate_host gate_hosts[];
extern const size_t gate_hosts_len;

/* gate-package.c. */
struct gate_text {
	const char *data;
	size_t len;
};
/* True where two package.json surely agree in everything that npm and hook managers run. */
bool gate_package_same(struct gate_text old, struct gate_text now);

/* gate-trees.c: one tree object that is new, at prefix ("" or "dir/"); hex: digits of an id. Finds
 * what diff-tree does not show: odd modes, colliding names, planted repositories. */
struct gate_tree {
	const char *prefix;
	struct gate_text content;
	size_t hex;
	const struct change_list *changes;
};
void gate_tree_check(const struct gate_tree *t, struct gate_report *out);

/* gate-objects.c: one question about an object, and what came back. */
struct gate_ask {
	const struct change *change; /* whose it is; NULL: the whole tree's */
	const char *oid;
	bool contents; /* else its kind and size only */
	char kind;     /* 'b' blob, 't' tree, 'c' commit, 'g' tag; 0: missing */
	uint64_t size;
	const char *data; /* borrowed from the answer's text; NULL: not asked for, or missing */
};
struct gate_asks {
	struct gate_ask *v;
	size_t len;
	size_t cap;
	struct buf text;
};
#define GATE_ASKS_INIT                                          \
	{                                                       \
		.v = NULL, .len = 0, .cap = 0, .text = BUF_INIT \
	}
#define GATE_ASKS_AUTO __attribute__((cleanup(gate_asks_release))) struct gate_asks
void gate_asks_release(struct gate_asks *a);
void gate_ask(struct gate_asks *a, const struct change *c, const char *oid, bool contents);
/* One git for all questions. Errors: peer, limit, corrupt, sys. */
int gate_fetch(const struct git_cmd *git, struct gate_asks *a, struct error *err);
/* Reads a->text. Errors: corrupt. */
int gate_answers_parse(struct gate_asks *a, struct error *err);

#endif
