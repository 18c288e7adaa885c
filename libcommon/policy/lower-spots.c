#include "base/base.h"

#include "base/alloc.h"
#include "policy/lower-parts.h"

/* The strings of a stored spot are our own copies; const is for those who fill one in. */
static void free_strings(struct spot *spot)
{
	free((void *)(uintptr_t)spot->dst);
	free((void *)(uintptr_t)spot->src);
}

void spots_release(struct spots *s)
{
	for (size_t i = 0; i < s->len; i++)
		free_strings(&s->v[i]);
	free(s->v);
	*s = (struct spots)SPOTS_INIT;
}

static struct spot *find(const struct spots *s, const char *dst)
{
	for (size_t i = 0; i < s->len; i++)
		if (strcmp(s->v[i].dst, dst) == 0)
			return &s->v[i];
	return NULL;
}

bool spots_has(const struct spots *s, const char *dst)
{
	return find(s, dst) != NULL;
}

static struct spot *append(struct spots *s)
{
	if (s->len == s->cap) {
		s->cap = s->cap ? s->cap * 2 : 32;
		s->v = xrealloc(s->v, size_mul(s->cap, sizeof(*s->v)));
	}
	return &s->v[s->len++];
}

void spots_add(struct spots *s, const struct spot *spot)
{
	struct spot *place = find(s, spot->dst);
	struct spot copy = *spot;

	copy.dst = xstrdup(spot->dst);
	copy.src = spot->src ? xstrdup(spot->src) : NULL;
	if (place) {
		free_strings(place);
	} else {
		place = append(s);
	}
	*place = copy;
}

static int by_dst(const void *a, const void *b)
{
	const struct spot *x = a, *y = b;

	return strcmp(x->dst, y->dst);
}

void spots_emit(struct spots *s, struct plan_builder *out)
{
	if (s->len)
		qsort(s->v, s->len, sizeof(*s->v), by_dst);
	for (size_t i = 0; i < s->len; i++) {
		const struct spot *spot = &s->v[i];
		if (spot->make)
			lower_step(out, PLAN_DIR, 0, NULL, spot->dst);
		lower_step(out, spot->op, spot->flags, spot->src, spot->dst);
	}
}

bool path_within(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	if (n == 1)
		return true;
	return strncmp(path, dir, n) == 0 && (path[n] == '/' || !path[n]);
}
