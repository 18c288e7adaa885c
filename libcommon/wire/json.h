/*
 * json: reading our own JSON files with bounds, and writing answers. jansson
 * does the parsing; this adds strictness (no duplicate keys, depth and size
 * limits, typed getters that name the key in the error).
 */
#ifndef WIRE_JSON_H
#define WIRE_JSON_H

#include <jansson.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/strv.h"

#define JSON_AUTO __attribute__((cleanup(json_auto_release))) json_t
void json_auto_release(json_t **j);

/*
 * Parses one object of at most max bytes and 16 levels. Owned by the caller;
 * NULL on error (corrupt).
 */
json_t *json_parse(const char *text, size_t len, size_t max, struct error *err);

/*
 * Values of obj; a string is borrowed, a list is appended to out. Errors: corrupt
 * (missing, wrong type, longer than max bytes, NUL inside).
 */
int json_str(const json_t *obj, const char *key, size_t max, const char **out, struct error *err);
int json_u64(const json_t *obj, const char *key, uint64_t *out, struct error *err);
int json_flag(const json_t *obj, const char *key, bool *out, struct error *err);
int json_strv(const json_t *obj, const char *key, struct strv *out, struct error *err);

/* A JSON string from bytes that may not be UTF-8: bad bytes become U+FFFD. Never NULL. */
json_t *json_text(const char *s);

/*
 * Paths are bytes and JSON is not: in our own files every byte that is not
 * printable ASCII, and '%', is written as %XX. The reader takes only what the
 * writer makes. Never NULL; *out is replaced, strings are added to a strv.
 * Errors: corrupt.
 */
json_t *json_path(const char *path);
json_t *json_pathv(const struct strv *paths);
int json_path_get(const json_t *obj, const char *key, struct buf *out, struct error *err);
int json_pathv_get(const json_t *obj, const char *key, struct strv *out, struct error *err);

/* Canonical: sorted keys, compact, UTF-8. Appended to out. */
void json_canonical(const json_t *j, struct buf *out);

/*
 * Writes a verb's answer (an object, borrowed) to stdout, indented, newline at the
 * end, with "schema": schema first. A failing stdout shows in ferror(stdout).
 */
void json_answer(json_t *j, int schema);

/* {error: {kind, message, hint}, exit_code}: what a verb that failed answers. Owned by the
 * caller. */
json_t *json_failure(const struct error *err, int exit_code);
/* Writes it, with its schema. */
void json_answer_error(const struct error *err, int exit_code);

#endif
