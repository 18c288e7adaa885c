#include "base/base.h"

#include "base/buf.h"
#include "base/clock.h"
#include "cli/msg.h"
#include "cli/progress.h"

#define FIRST_US 300000
#define EVERY_US 100000

void progress_start(const struct app *app, struct progress *p)
{
	p->on = app->progress;
	p->shown = false;
	p->next_us = p->on ? clock_mono_us() + FIRST_US : 0;
}

void progress_step(struct progress *p, const char *what, size_t n, size_t of)
{
	BUF_AUTO text = BUF_INIT;
	uint64_t now;

	if (!p->on)
		return;
	now = clock_mono_us();
	if (now < p->next_us)
		return;
	p->next_us = now + EVERY_US;
	p->shown = true;
	buf_char(&text, '\r');
	msg_clean(what, strlen(what), &text);
	buf_fmt(&text, " (%zu/%zu)\033[K", n, of);
	fwrite(text.data, 1, text.len, stderr);
	fflush(stderr);
}

void progress_end(struct progress *p)
{
	if (p->shown) {
		fputs("\r\033[K", stderr);
		fflush(stderr);
	}
	p->on = false;
	p->shown = false;
}
