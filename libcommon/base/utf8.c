#include "base/base.h"

#include "base/utf8.h"

/* Length of a sequence by its first byte, and the smallest value that needs it; 0: not a first
 * byte. */
static size_t sequence_length(unsigned char first, uint32_t *least)
{
	if (first >= 0xC2 && first <= 0xDF) {
		*least = 0x80;
		return 2;
	}
	if (first >= 0xE0 && first <= 0xEF) {
		*least = 0x800;
		return 3;
	}
	if (first >= 0xF0 && first <= 0xF4) {
		*least = 0x10000;
		return 4;
	}
	return 0;
}

size_t utf8_next(const char *s, size_t len, uint32_t *cp)
{
	unsigned char first = (unsigned char)s[0];
	uint32_t least = 0;
	size_t n;
	uint32_t value;

	if (first < 0x80) {
		*cp = first;
		return 1;
	}
	*cp = UTF8_BAD;
	n = sequence_length(first, &least);
	if (n == 0 || n > len)
		return 1;
	value = first & (0x7Fu >> n);
	for (size_t i = 1; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if ((c & 0xC0) != 0x80)
			return 1;
		value = value << 6 | (c & 0x3F);
	}
	if (value < least || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF))
		return 1;
	*cp = value;
	return n;
}

struct range {
	uint32_t first;
	uint32_t last;
};

static bool in_ranges(uint32_t cp, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (cp >= ranges[i].first && cp <= ranges[i].last)
			return true;
	}
	return false;
}

unsigned utf8_width(uint32_t cp)
{
	/* Combining marks, joiners and variation selectors. */
	static const struct range zero[] = {
		{ 0x0300, 0x036F }, { 0x0483, 0x0489 }, { 0x0591, 0x05BD }, { 0x0610, 0x061A },
		{ 0x064B, 0x065F }, { 0x0E34, 0x0E3A }, { 0x0E47, 0x0E4E }, { 0x1AB0, 0x1AFF },
		{ 0x1DC0, 0x1DFF }, { 0x200B, 0x200F }, { 0x2060, 0x2064 }, { 0x20D0, 0x20FF },
		{ 0xFE00, 0xFE0F }, { 0xFE20, 0xFE2F }, { 0xFEFF, 0xFEFF }, { 0xE0100, 0xE01EF },
	};
	/* East Asian wide and full-width forms, and emoji. */
	static const struct range wide[] = {
		{ 0x1100, 0x115F },   { 0x2E80, 0x303E },   { 0x3041, 0x33FF },
		{ 0x3400, 0x4DBF },   { 0x4E00, 0x9FFF },   { 0xA000, 0xA4CF },
		{ 0xAC00, 0xD7A3 },   { 0xF900, 0xFAFF },   { 0xFE30, 0xFE6F },
		{ 0xFF00, 0xFF60 },   { 0xFFE0, 0xFFE6 },   { 0x1F300, 0x1F64F },
		{ 0x1F680, 0x1F6FF }, { 0x1F900, 0x1F9FF }, { 0x20000, 0x3FFFD },
	};

	if (cp < 0x0300)
		return 1;
	if (in_ranges(cp, zero, ARRAY_SIZE(zero)))
		return 0;
	return in_ranges(cp, wide, ARRAY_SIZE(wide)) ? 2 : 1;
}

size_t utf8_columns(const char *s, size_t len)
{
	size_t columns = 0;

	for (size_t at = 0; at < len;) {
		uint32_t cp;

		at += utf8_next(s + at, len - at, &cp);
		columns += utf8_width(cp == UTF8_BAD ? 0xFFFD : cp);
	}
	return columns;
}
