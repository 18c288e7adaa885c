/*
 * mason: everything that reads, writes or deletes inside a directory that a
 * box can write. Runs as git-box-mason in a confinement that holds nothing but
 * that one box (policy/lower.h: lower_mason), never while commands run.
 *
 * Answers are lines on `out`. Paths in them are quoted as git does.
 */
#ifndef MASON_MASON_H
#define MASON_MASON_H

#include "base/buf.h"
#include "base/error.h"

/*
 * Fills WORK with the files of commit, by the view WORK/.git. The index, with its stat data, is
 * WORK/../git/index. Lines: "submodule <path>" for each gitlink: its directory exists, empty, and
 * is marked skip-worktree, so that no git looks for a repository there. lfs: directory of objects
 * of git-lfs, or ""; files that it keeps are filled from there, see mason/lfs.h. Errors: peer (git
 * failed, for example for a missing blob), corrupt, sys.
 */
int mason_checkout(const char *work, const char *commit, const char *lfs, struct buf *out,
		   struct error *err);

/* A submodule to be filled. Paths and directories are relative, without "." and "..". */
struct mason_submodule {
	const char *parent_path; /* of the submodule in which it lies, in WORK; "": none */
	const char *parent_dir;	 /* its git directory below WORK/../git; "": none */
	const char *path;	 /* in the parent */
	const char *name; /* its git directory is parent_dir/modules/name: there, without index */
	const char *commit;
	const char *alternates; /* stores of the host, as GIT_ALTERNATE_OBJECT_DIRECTORIES */
};

/*
 * Fills submodules of a box that was checked out, parents before what lies in them. Each gets its
 * files, an index, and a `.git` file by which git inside finds the directory; the index of its
 * parent no longer skips it. The view goes on skipping all. Lines: "done <path>", or "failed <path>
 * <words>" for one that is as empty as before; "submodule <path>" as above for gitlinks in them.
 * Errors: sys, peer, corrupt.
 */
int mason_submodules(const char *work, const struct mason_submodule *v, size_t len, struct buf *out,
		     struct error *err);

struct snapshot_request {
	const char *work;
	const char *snap_dir;
	const char *commit; /* of the base; hex */
	const char *tree;   /* its tree */
	bool thorough;	    /* believe no sign of a file: read them all */
	bool glance;	    /* the tree's id is all that is wanted: no pack */
};

/*
 * The files of WORK as a tree, in the repository SNAPDIR/git, which borrows the view's objects.
 * WORK is only read, also while somebody writes it. SNAPDIR keeps what the next snapshot needs to
 * know. Lines: "tree <hex>" first; "pack" where it is not the base's: SNAPDIR/pack then holds the
 * objects that the base lacks, thin against it; "skipped <count> <kind>" for what no tree can hold
 * or nobody can read (what the base has there stays); "repository <path>" for directories that git
 * would take for one; where thorough, "silent <path>" for files that changed and do not look it,
 * and "lfs <id> <bytes>" for objects of git-lfs that were put into SNAPDIR/lfs, as changed files
 * became pointers to them. What .gitignore excludes is left out unless the base has it. Errors:
 * refused (git would wait at a file), busy (the files change faster than they can be read), peer,
 * corrupt, limit, sys.
 */
int mason_snapshot(const struct snapshot_request *req, struct buf *out, struct error *err);

/*
 * Content of regular files below WORK to stdout: for each path a line "file <755|644> <bytes>" and
 * that many bytes. The paths are relative, without "." and "..". Reads while commands run, too. For
 * a file that becomes shorter meanwhile: peer. Errors: notfound, refused (a symlink on the way, not
 * a regular file, longer than max, a name that git takes for its own), peer, sys.
 */
int mason_read(const char *work, uint64_t max, const char *const *paths, struct error *err);

/*
 * The other way: the same lines and bytes come on stdin, for each path in turn; its directory must
 * exist. Nothing is written where one of the paths is no good. Errors: notfound, exists (also a
 * directory, whatever `replace` says), refused, peer, sys.
 */
int mason_write(const char *work, bool replace, const char *const *paths, struct error *err);

/*
 * Gives the owner of WORK's files and directories the bits to read them, where they lack: a
 * snapshot can then hold them. Errors: sys.
 */
int mason_make_readable(const char *work, struct error *err);

struct mason_rebase {
	const char *from;   /* tree that WORK has, but for what an earlier call did */
	const char *to;	    /* tree that it is to have */
	const char *commit; /* the new base */
	const char *branch; /* short name of the box's branch, which starts there anew */
	size_t stores;	    /* object stores of the host at /run/box/objects */
};

/*
 * Writes what differs between two trees into WORK, whatever lies there, and makes commit the base
 * of the view and of the private directory WORK/../git: HEAD, index, alternates; the branch's old
 * commit becomes ORIG_HEAD. Other files of WORK stay. stdin: "<n>\n" and n bytes of refs as
 * gitdir_packed_refs() makes them, for the private directory, then a pack with the objects that the
 * host's stores lack; they go to SNAPDIR/git. May be repeated, also with other trees, after it was
 * cut short. Errors: peer, corrupt, sys.
 */
int mason_rebase(const char *work, const char *snap_dir, const struct mason_rebase *what,
		 struct error *err);

/* Empties a directory, however deep; the directory itself stays. Errors: notfound, sys. */
int mason_remove(const char *dir, struct error *err);

#endif
