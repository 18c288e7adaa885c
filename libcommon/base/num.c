#include "base/base.h"

#include "base/num.h"

/*
 * Leading digits of s; *rest is the first byte after them. Returns 0, or -1
 * where there is no digit (usage) or the value does not fit (limit).
 */
static int digits(const char *s, uint64_t *out, const char **rest, struct error *err)
{
	const char *p = s;
	uint64_t value = 0;

	if (*p < '0' || *p > '9')
		return error_set(err, ERR_USAGE, "'%s' is not a number", s);
	for (; *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value))
			return error_set(err, ERR_LIMIT, "'%s' is too large", s);
	*out = value;
	*rest = p;
	return 0;
}

int num_u64(const char *s, uint64_t min, uint64_t max, uint64_t *out, struct error *err)
{
	const char *rest;
	uint64_t value;

	if (digits(s, &value, &rest, err) < 0)
		return -1;
	if (*rest)
		return error_set(err, ERR_USAGE, "'%s' is not a number", s);
	if (value < min || value > max)
		return error_set(err, ERR_LIMIT, "%s is not between %llu and %llu", s,
				 (unsigned long long)min, (unsigned long long)max);
	*out = value;
	return 0;
}

struct unit {
	const char *name;
	uint64_t factor;
};

/* A number and one unit of the table, scaled. what names the kind for the message. */
static int scaled(const char *s, const struct unit *units, size_t n, uint64_t *out,
		  struct error *err)
{
	const char *rest = s;
	uint64_t value = 0;

	if (digits(s, &value, &rest, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (strcasecmp(rest, units[i].name) != 0)
			continue;
		if (__builtin_mul_overflow(value, units[i].factor, &value))
			return error_set(err, ERR_LIMIT, "'%s' is too large", s);
		*out = value;
		return 0;
	}
	return error_set(err, ERR_USAGE, "'%s' has an unknown unit '%s'", s, rest);
}

int num_size(const char *s, uint64_t *out, struct error *err)
{
	static const struct unit units[] = {
		{ "", 1 },
		{ "K", 1ULL << 10 },
		{ "M", 1ULL << 20 },
		{ "G", 1ULL << 30 },
		{ "T", 1ULL << 40 },
	};

	if (scaled(s, units, ARRAY_SIZE(units), out, err) == 0)
		return 0;
	return error_hint(err, "a size is a number of bytes, or one with K, M, G or T");
}

int num_duration_ms(const char *s, uint64_t *out, struct error *err)
{
	static const struct unit units[] = {
		{ "", 1000 },
		{ "ms", 1 },
		{ "s", 1000 },
		{ "m", 60 * 1000 },
		{ "h", 60 * 60 * 1000 },
		{ "d", 24 * 60 * 60 * 1000 },
	};

	if (scaled(s, units, ARRAY_SIZE(units), out, err) == 0)
		return 0;
	return error_hint(err, "a time is a number of seconds, or one with ms, s, m, h or d");
}

void num_size_text(uint64_t bytes, char dst[32])
{
	static const char units[] = "KMGTPE";
	double value = (double)bytes;
	size_t i = 0;

	if (bytes < 1024) {
		snprintf(dst, 32, "%u", (unsigned int)bytes);
		return;
	}
	value /= 1024;
	while (value >= 1023.95 && i + 2 < sizeof(units)) { /* else it would print as 1024.0K */
		value /= 1024;
		i++;
	}
	snprintf(dst, 32, "%.1f%c", value, units[i]);
}

void num_duration_text(uint64_t ms, char dst[32])
{
	unsigned long long s = ms / 1000;
	unsigned int part = (unsigned int)(ms % 1000);

	if (ms && s == 0)
		snprintf(dst, 32, "%ums", part);
	else if (s < 60 && part)
		snprintf(dst, 32, "%llu.%us", s, part / 100);
	else if (s < 60)
		snprintf(dst, 32, "%llus", s);
	else if (s < 3600)
		snprintf(dst, 32, s % 60 ? "%llum%llus" : "%llum", s / 60, s % 60);
	else if (s < 86400)
		snprintf(dst, 32, s % 3600 / 60 ? "%lluh%llum" : "%lluh", s / 3600, s % 3600 / 60);
	else
		snprintf(dst, 32, s % 86400 / 3600 ? "%llud%lluh" : "%llud", s / 86400,
			 s % 86400 / 3600);
}

void num_hex(const void *src, size_t len, char *dst)
{
	static const char hex[] = "0123456789abcdef";
	const unsigned char *p = src;

	for (size_t i = 0; i < len; i++) {
		*dst++ = hex[p[i] >> 4];
		*dst++ = hex[p[i] & 15];
	}
	*dst = '\0';
}
