#include "base/base.h"

#include "box/steps.h"

/* Not those that are ignored: nohup must work, and a blocked signal would be kept although ignored.
 */
static void held_signals(sigset_t *set)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction now;

	sigemptyset(set);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++) {
		if (!sigaction(signals[i], NULL, &now) && now.sa_handler != SIG_IGN)
			sigaddset(set, signals[i]);
	}
}

/* True where one of the signals that we hold back has come. */
static bool is_interrupted(void)
{
	sigset_t held, pending;

	held_signals(&held);
	sigpending(&pending);
	return sigandset(&held, &held, &pending) == 0 && !sigisemptyset(&held);
}

static void unwind(const struct steps *s, size_t from, void *arg)
{
	for (size_t i = from + 1; i-- > 0;) {
		if (!s->v[i].undo)
			continue;
		trace_region_enter(s->trace, "undo", s->v[i].name);
		s->v[i].undo(arg);
		trace_region_leave(s->trace, "undo", s->v[i].name);
	}
}

/* What somebody asked for wrongly is plain without the step's name. */
static int name_step(const struct step *step, struct error *err)
{
	switch (err->kind) {
	case ERR_SYS:
	case ERR_PEER:
	case ERR_LIMIT:
	case ERR_CORRUPT:
		return error_wrap(err, "%s", step->name);
	default:
		return -1;
	}
}

static int run_one(const struct steps *s, size_t i, void *arg, struct error *err)
{
	int rc;

	if (s->progress)
		s->progress(s->progress_arg, s->v[i].name, i + 1, s->len);
	trace_region_enter(s->trace, s->operation, s->v[i].name);
	rc = s->v[i].run(arg, err);
	trace_region_leave(s->trace, s->operation, s->v[i].name);
	if (rc)
		return name_step(&s->v[i], err);
	if (is_interrupted())
		return error_set(err, ERR_BUSY, "%s was interrupted", s->operation);
	return 0;
}

int steps_run(const struct steps *s, void *arg, struct error *err)
{
	sigset_t held, before;
	int rc = 0;

	held_signals(&held);
	sigprocmask(SIG_BLOCK, &held, &before);
	for (size_t i = 0; !rc && i < s->len; i++) {
		rc = run_one(s, i, arg, err);
		if (rc)
			unwind(s, i, arg);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}
