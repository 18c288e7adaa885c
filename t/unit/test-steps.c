#include "base/base.h"

#include <criterion/criterion.h>

#include "box/steps.h"

/* What ran, as letters: a b c for runs, A B C for undos. */
struct log {
	char text[16];
	size_t len;
	char fail_at;
	enum error_kind kind;
	char signal_at;
};

static int act(struct log *l, char c, struct error *err)
{
	l->text[l->len++] = c;
	if (c == l->signal_at)
		cr_assert_eq(kill(getpid(), SIGHUP), 0);
	return c == l->fail_at ? error_set(err, l->kind, "no") : 0;
}

static int run_a(void *arg, struct error *err)
{
	return act(arg, 'a', err);
}

static int run_b(void *arg, struct error *err)
{
	return act(arg, 'b', err);
}

static int run_c(void *arg, struct error *err)
{
	return act(arg, 'c', err);
}

static void undo_a(void *arg)
{
	struct error ignored = ERROR_INIT;

	act(arg, 'A', &ignored);
}

static void undo_c(void *arg)
{
	struct error ignored = ERROR_INIT;

	act(arg, 'C', &ignored);
}

static const struct step table[] = {
	{ "first", run_a, undo_a },
	{ "second", run_b, NULL },
	{ "third", run_c, undo_c },
};
static const struct steps steps = { .operation = "test", .v = table, .len = ARRAY_SIZE(table) };

Test(steps, all_run_in_order)
{
	struct log l = { .len = 0 };
	struct error err = ERROR_INIT;

	cr_expect_eq(steps_run(&steps, &l, &err), 0);
	cr_expect_str_eq(l.text, "abc");
	cr_expect_eq(err.kind, ERR_NONE);
}

Test(steps, the_failed_one_is_undone_too)
{
	struct log l = { .fail_at = 'c', .kind = ERR_SYS };
	struct error err = ERROR_INIT;

	cr_expect_eq(steps_run(&steps, &l, &err), -1);
	cr_expect_str_eq(l.text, "abcCA");
	cr_expect_str_eq(err.msg, "third: no");
}

Test(steps, later_ones_are_not_undone)
{
	struct log l = { .fail_at = 'b', .kind = ERR_USAGE };
	struct error err = ERROR_INIT;

	cr_expect_eq(steps_run(&steps, &l, &err), -1);
	cr_expect_str_eq(l.text, "abA");
	/* Whoever typed it wrongly need not know our steps. */
	cr_expect_str_eq(err.msg, "no");
}

static void on_hangup(int signo)
{
	(void)signo;
}

Test(steps, a_signal_undoes_and_then_takes_its_course)
{
	struct log l = { .signal_at = 'b' };
	struct sigaction act_on = { .sa_handler = on_hangup };
	struct error err = ERROR_INIT;
	sigset_t blocked;

	cr_assert_eq(sigaction(SIGHUP, &act_on, NULL), 0);
	cr_expect_eq(steps_run(&steps, &l, &err), -1);
	cr_expect_str_eq(l.text, "abA");
	cr_expect_eq(err.kind, ERR_BUSY);
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	cr_expect_not(sigismember(&blocked, SIGHUP));
}

Test(steps, an_ignored_signal_stays_ignored)
{
	struct log l = { .signal_at = 'a' };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct error err = ERROR_INIT;

	cr_assert_eq(sigaction(SIGHUP, &ignore, NULL), 0);
	cr_expect_eq(steps_run(&steps, &l, &err), 0, "nohup git box create must go on");
}
