/*
 * mason: whatever reads, writes or deletes inside a directory that a box can
 * write is done by git-box-mason in a confinement of its own (policy/lower.h:
 * lower_mason). This is how the front has it done.
 */
#ifndef BOX_MASON_H
#define BOX_MASON_H

#include "base/buf.h"
#include "box/box.h"

#define MASON_PATH "/run/box/bin/git-box-mason" /* inside */

/*
 * Runs argv (NULL-terminated, argv[0] MASON_PATH or a program of /usr) in the mason's confinement
 * of the box and collects its stdout (may be NULL). Not while commands of the box run. A failure
 * carries the first line that it wrote to stderr. Errors: peer (exit code not 0), limit (time), and
 * those of session_run().
 */
int mason_run(const struct lower_box *box, const char *const *argv, struct buf *out,
	      struct error *err);

/* mason_run() with bytes for its stdin. */
int mason_run_fed(const struct lower_box *box, const char *const *argv, const struct buf *in,
		  struct buf *out, struct error *err);

struct worker;

/* The same in parts, for a caller that has something to do meanwhile. */
struct mason_job {
	const struct worker *worker; /* private */
	struct session *session; /* NULL: not started */
	struct buf plan;
	struct buf out;
	int err_fd;
};
#define MASON_JOB_INIT                                                            \
	{                                                                         \
		.worker = NULL, .session = NULL, .plan = BUF_INIT, .out = BUF_INIT, .err_fd = -1, \
	}

/* box and argv are not needed afterwards; job stays where it is. It waits for mason_feed(). */
int mason_start(const struct lower_box *box, const char *const *argv, struct mason_job *job,
		struct error *err);
/* Its stdin, once: at most SESSION_FEED_MAX bytes. */
int mason_feed(struct mason_job *job, const char *text, struct error *err);
/* Its stdout is in job->out then. */
int mason_finish(struct mason_job *job, struct error *err);
/* Ends it where it was not finished. */
void mason_job_release(struct mason_job *job);

/* Descriptors of ours (files, not the operator's) that it reads and writes through pipes; -1: none.
 */
struct mason_io {
	int in;
	int out;
};

/*
 * For bulk content. Where it only reads (no `in`), it runs as the scribe, also while commands of
 * the box run. In a tier that confines nothing the helper runs as it is, as all does there.
 * Errors: notfound, exists, refused in the mason's own words; else those of mason_run().
 */
int mason_stream(const struct box *b, const char *const *argv, const struct mason_io *io,
		 struct error *err);

/*
 * As mason_run(), in the scribe's confinement (lower_scribe), which cannot write the work tree:
 * also while commands of the box run.
 */
int mason_run_scribe(const struct lower_box *box, const char *const *argv, struct buf *out,
		     struct error *err);

#endif
