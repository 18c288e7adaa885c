/*
 * dbus: just enough of D-Bus messages to make one call to a service manager and
 * to understand what comes back. Little endian only, which every peer on our
 * own machine speaks.
 * Source: D-Bus Specification, "Message Format" and "Marshaling".
 */
#ifndef WIRE_DBUS_H
#define WIRE_DBUS_H

#include "base/buf.h"
#include "base/rd.h"

#define DBUS_FIXED 16		   /* bytes that say how long a message is */
#define DBUS_MESSAGE_MAX (1 << 18) /* longer ones are refused; the protocol would allow 128 MiB */

enum dbus_type { DBUS_CALL = 1, DBUS_RETURN, DBUS_ERROR, DBUS_SIGNAL };

/* A call's address. */
struct dbus_call {
	uint32_t serial; /* not 0 */
	const char *path, *interface, *member, *signature;
};

/* --- writing: into a buf that holds one message, or one body, from its very start --- */

/* Zeros up to the next multiple of n. */
void dbus_align(struct buf *b, size_t n);
void dbus_put_u32(struct buf *b, uint32_t value);
void dbus_put_u64(struct buf *b, uint64_t value);
/* s or o; a signature (g) has a length of one byte. */
void dbus_put_string(struct buf *b, const char *s);
void dbus_put_signature(struct buf *b, const char *s);
/*
 * An array: begin gives the place of its length, elements of that alignment
 * follow, end fills it in.
 */
struct dbus_array {
	size_t length_at;
	size_t first_at;
};
struct dbus_array dbus_array_begin(struct buf *b, size_t element_align);
void dbus_array_end(struct buf *b, struct dbus_array a);
/* A whole method call with that body, appended to out, which may hold anything before. */
void dbus_put_call(struct buf *out, const struct dbus_call *call, const struct buf *body);

/* --- reading: pure, bounds-checked, fuzzed --- */

/* Size of the whole message from its first DBUS_FIXED bytes, or 0 where it is to be refused. */
size_t dbus_size(const unsigned char head[DBUS_FIXED]);

/* A cursor that knows where the message began, since values are aligned to that. */
struct dbus_in {
	struct rd rd;
	const unsigned char *start;
};
uint32_t dbus_get_u32(struct dbus_in *in);
/* s or o: borrowed, NUL-terminated, without NUL inside; NULL and rd.bad where it is none. */
const char *dbus_get_string(struct dbus_in *in);

/* A received message; strings are borrowed from it and never NULL ("" where a field is absent). */
struct dbus_message {
	enum dbus_type type;
	uint32_t reply_serial; /* of a return or an error; else 0 */
	const char *interface, *member, *error_name, *signature;
	struct dbus_in body;
};

/* data: exactly the dbus_size() bytes of one message. 0, or -1 where it breaks the rules. */
int dbus_parse(const unsigned char *data, size_t len, struct dbus_message *out);

#endif
