#include "base/base.h"

#include "cli/msg.h"
#include "git-box/choose.h"
#include "git-box/paint.h"

static const char binary_label[] = "\nGIT binary patch\n";

static const char help[] = "y - take this\n"
			   "n - leave it\n"
			   "a - take this and all that follows in the file\n"
			   "d - leave this and all that follows in the file\n"
			   "q - leave this and all that follows\n"
			   "? - this help\n";

void choose_show(struct hunk_text text, bool color, struct buf *out)
{
	const char *binary = memmem(text.p, text.len, binary_label, strlen(binary_label));

	if (!binary) {
		paint_diff(text.p, text.len, color, out);
		return;
	}
	paint_diff(text.p, (size_t)(binary - text.p) + 1, color, out);
	buf_str(out, "a binary file, not shown\n");
}

/* Where one stands. */
struct place {
	const struct hunk_file *file;
	size_t n; /* of the file, from 1 */
	size_t files;
	size_t hunk;
};

static void show(const struct app *app, const struct place *at)
{
	const struct hunk *h = &at->file->v[at->hunk];
	BUF_AUTO out = BUF_INIT;

	/* What is no @@ hunk is not coloured as one. */
	if (at->hunk == 0 && h->kind != HUNK_WHOLE)
		choose_show(at->file->head, app->color_out, &out);
	if (h->kind != HUNK_MODE)
		choose_show(h->text, app->color_out, &out);
	fwrite(out.data, 1, out.len, stdout);
}

static const char *question(enum hunk_kind kind)
{
	switch (kind) {
	case HUNK_MODE:
		return "take the change of mode";
	case HUNK_WHOLE:
		return "take this file";
	default:
		return "take this hunk";
	}
}

/* One of "ynadq"; 'q' at the end of stdin. */
static char ask(const struct place *at)
{
	BUF_AUTO path = BUF_INIT;
	char *line = NULL;
	size_t size = 0;
	char answer = 0;

	msg_clean(at->file->path.data, at->file->path.len, &path);
	while (!answer) {
		printf("(file %zu/%zu, %zu/%zu) %s of %s [y,n,a,d,q,?]? ", at->n, at->files,
		       at->hunk + 1, at->file->len, question(at->file->v[at->hunk].kind),
		       path.data);
		fflush(stdout);
		if (getline(&line, &size, stdin) < 0)
			answer = 'q';
		else if (line[0] && strchr("ynadq", line[0]) && (!line[1] || line[1] == '\n'))
			answer = line[0];
		else
			fputs(help, stdout);
	}
	free(line);
	return answer;
}

/* False where nothing more is wanted. */
static bool choose_file(const struct app *app, struct hunk_file *f, struct place *at, size_t *taken)
{
	char answer = 0;

	for (size_t i = 0; i < f->len; i++) {
		at->hunk = i;
		if (answer != 'a' && answer != 'd') {
			show(app, at);
			answer = ask(at);
		}
		if (answer == 'q')
			return false;
		f->v[i].taken = answer == 'y' || answer == 'a';
		*taken += f->v[i].taken;
	}
	return true;
}

size_t choose_hunks(const struct app *app, struct hunk_list *l, const size_t *order)
{
	size_t taken = 0;
	bool more = true;

	for (size_t i = 0; i < l->len && more; i++) {
		struct hunk_file *f = &l->v[order[i]];
		struct place at = { .file = f, .n = i + 1, .files = l->len };

		more = choose_file(app, f, &at, &taken);
	}
	return taken;
}
