/*
 * driver: runs a fuzz target over the files of directories, without a fuzzing
 * engine. So `make check` needs no clang, and every input that once broke
 * something stays tested.
 */
#include "base/base.h"

#include <dirent.h>
#include <fcntl.h>

#include "base/buf.h"
#include "base/strv.h"
#include "sys/fd.h"
#include "sys/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int list(int dirfd, struct strv *names)
{
	int copy = fcntl(dirfd, F_DUPFD_CLOEXEC, 3);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;

	if (!dir)
		return -1;
	while ((e = readdir(dir)))
		if (e->d_name[0] != '.')
			strv_add(names, e->d_name);
	closedir(dir);
	strv_sort(names);
	return 0;
}

/* An exact copy on the heap, so that a sanitizer sees a read beyond the end. */
static void run_one(const struct buf *content)
{
	uint8_t *copy = malloc(content->len ? content->len : 1);

	memcpy(copy, content->data, content->len);
	LLVMFuzzerTestOneInput(copy, content->len);
	free(copy);
}

static int replay(const char *path, size_t *count, struct error *err)
{
	FD_AUTO dir = file_open_dir(AT_FDCWD, path, err);
	STRV_AUTO names = STRV_INIT;

	if (dir < 0)
		return -1;
	if (list(dir, &names) < 0)
		return error_set(err, ERR_SYS, "cannot list '%s'", path);
	for (size_t i = 0; i < names.len; i++) {
		BUF_AUTO content = BUF_INIT;

		if (file_read(dir, names.v[i], 16U << 20, &content, err) < 0)
			return -1;
		run_one(&content);
		++*count;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct error err = ERROR_INIT;
	size_t count = 0;

	for (int i = 1; i < argc; i++) {
		if (replay(argv[i], &count, &err) < 0) {
			fprintf(stderr, "%s: %s\n", argv[0], err.msg);
			return 1;
		}
	}
	printf("fuzz-replay: %s inputs=%zu\n", strrchr(argv[0], '/') + 1, count);
	return count ? 0 : 1; /* an empty corpus tests nothing */
}
