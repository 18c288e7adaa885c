#include "base/base.h"

#include <criterion/criterion.h>
#include <criterion/redirect.h>

#include "cli/progress.h"

Test(progress, waits_draws_and_erases, .init = cr_redirect_stderr)
{
	struct app app = { .tool = "git-box", .progress = true };
	struct progress p;

	progress_start(&app, &p);
	progress_step(&p, "too early", 1, 9);
	cr_assert_not(p.shown);
	p.next_us = 0;
	progress_step(&p, "check\033out", 2, 9);
	progress_step(&p, "too soon again", 3, 9);
	progress_end(&p);
	progress_step(&p, "after the end", 4, 9);
	cr_assert_stderr_eq_str("\rcheckout (2/9)\033[K\r\033[K");
}

Test(progress, silent_without_terminal, .init = cr_redirect_stderr)
{
	struct app app = { .tool = "git-box", .progress = false };
	struct progress p;

	progress_start(&app, &p);
	p.next_us = 0;
	progress_step(&p, "x", 1, 2);
	progress_end(&p);
	cr_assert_stderr_eq_str("");
}
