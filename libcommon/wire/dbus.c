#include "base/base.h"

#include "wire/dbus.h"

#define VERSION 1
#define STRUCT_ALIGN 8
/* Fields of a header and the type that each must have. */
enum field {
	FIELD_PATH = 1,
	FIELD_INTERFACE,
	FIELD_MEMBER,
	FIELD_ERROR_NAME,
	FIELD_REPLY_SERIAL,
	FIELD_DESTINATION,
	FIELD_SENDER,
	FIELD_SIGNATURE,
	FIELD_UNIX_FDS,
	FIELD_MAX
};
static const char field_types[FIELD_MAX + 1] = "?osssussgu";

static void put_raw(struct buf *b, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		buf_char(b, (char)(value >> (8 * i) & 0xff));
}

void dbus_align(struct buf *b, size_t n)
{
	buf_pad(b, '\0', (n - b->len % n) % n);
}

void dbus_put_u32(struct buf *b, uint32_t value)
{
	dbus_align(b, 4);
	put_raw(b, value, 4);
}

void dbus_put_u64(struct buf *b, uint64_t value)
{
	dbus_align(b, 8);
	put_raw(b, value, 8);
}

void dbus_put_string(struct buf *b, const char *s)
{
	size_t len = strlen(s);

	dbus_put_u32(b, (uint32_t)len);
	buf_add(b, s, len + 1);
}

void dbus_put_signature(struct buf *b, const char *s)
{
	size_t len = strlen(s);

	put_raw(b, len, 1);
	buf_add(b, s, len + 1);
}

struct dbus_array dbus_array_begin(struct buf *b, size_t element_align)
{
	struct dbus_array a;

	dbus_put_u32(b, 0);
	a.length_at = b->len - 4;
	dbus_align(b, element_align);
	a.first_at = b->len;
	return a;
}

void dbus_array_end(struct buf *b, struct dbus_array a)
{
	size_t len = b->len - a.first_at;

	for (size_t i = 0; i < 4; i++)
		b->data[a.length_at + i] = (char)(len >> (8 * i) & 0xff);
}

static void put_field(struct buf *b, enum field field, const char *value)
{
	const char type[2] = { field_types[field], '\0' };

	dbus_align(b, STRUCT_ALIGN);
	put_raw(b, field, 1);
	dbus_put_signature(b, type);
	if (*type == 'g')
		dbus_put_signature(b, value);
	else
		dbus_put_string(b, value);
}

void dbus_put_call(struct buf *out, const struct dbus_call *call, const struct buf *body)
{
	const unsigned char head[4] = { 'l', DBUS_CALL, 0, VERSION };
	BUF_AUTO message = BUF_INIT;

	buf_add(&message, head, sizeof(head));
	dbus_put_u32(&message, (uint32_t)body->len);
	dbus_put_u32(&message, call->serial);
	struct dbus_array fields = dbus_array_begin(&message, STRUCT_ALIGN);
	put_field(&message, FIELD_PATH, call->path);
	put_field(&message, FIELD_INTERFACE, call->interface);
	put_field(&message, FIELD_MEMBER, call->member);
	put_field(&message, FIELD_SIGNATURE, call->signature);
	dbus_array_end(&message, fields);
	dbus_align(&message, STRUCT_ALIGN);
	buf_add(&message, body->data, body->len);
	buf_add(out, message.data, message.len);
}

size_t dbus_size(const unsigned char head[DBUS_FIXED])
{
	struct rd r = rd_init(head, DBUS_FIXED);
	uint8_t order = rd_u8(&r);

	(void)rd_bytes(&r, 2); /* type and flags */
	uint8_t version = rd_u8(&r);
	uint64_t body = rd_u32(&r);
	uint32_t serial = rd_u32(&r);
	uint64_t fields = rd_u32(&r);
	if (order != 'l' || version != VERSION || serial == 0)
		return 0;
	/* 64 bits hold the sum of any three of them. */
	uint64_t size = DBUS_FIXED + (fields + 7) / 8 * 8 + body;
	return size <= DBUS_MESSAGE_MAX ? (size_t)size : 0;
}

static void skip_padding(struct dbus_in *in, size_t n)
{
	size_t at = (size_t)(in->rd.p - in->start);

	(void)rd_bytes(&in->rd, (n - at % n) % n);
}

uint32_t dbus_get_u32(struct dbus_in *in)
{
	skip_padding(in, 4);
	return rd_u32(&in->rd);
}

static const char *get_text(struct dbus_in *in, size_t len)
{
	const char *s = rd_bytes(&in->rd, len + 1);

	if (s && !s[len] && strlen(s) == len)
		return s;
	in->rd.bad = true;
	return NULL;
}

const char *dbus_get_string(struct dbus_in *in)
{
	return get_text(in, dbus_get_u32(in));
}

static const char *get_signature(struct dbus_in *in)
{
	return get_text(in, rd_u8(&in->rd));
}

/* Where a field's string goes; NULL: to nobody. */
static const char **field_place(struct dbus_message *m, uint8_t code)
{
	switch (code) {
	case FIELD_INTERFACE:
		return &m->interface;
	case FIELD_MEMBER:
		return &m->member;
	case FIELD_ERROR_NAME:
		return &m->error_name;
	case FIELD_SIGNATURE:
		return &m->signature;
	default:
		return NULL;
	}
}

static void read_field(struct dbus_in *in, struct dbus_message *m)
{
	skip_padding(in, STRUCT_ALIGN);
	uint8_t code = rd_u8(&in->rd);
	const char *type = get_signature(in);
	/* A field of a type that it must not have, or that nobody has heard of, cannot be skipped
	 * safely. */
	if (!type || code == 0 || code >= FIELD_MAX || type[0] != field_types[code] || type[1]) {
		in->rd.bad = true;
		return;
	}
	if (*type == 'u') {
		uint32_t value = dbus_get_u32(in);
		if (code == FIELD_REPLY_SERIAL)
			m->reply_serial = value;
		return;
	}
	const char *text = *type == 'g' ? get_signature(in) : dbus_get_string(in);
	const char **place = field_place(m, code);
	if (text && place)
		*place = text;
}

int dbus_parse(const unsigned char *data, size_t len, struct dbus_message *out)
{
	struct dbus_message m = {
		.interface = "", .member = "", .error_name = "", .signature = ""
	};
	struct rd r = rd_init(data, len);

	if (len < DBUS_FIXED || dbus_size(data) != len)
		return -1;
	m.type = data[1];
	(void)rd_bytes(&r, DBUS_FIXED - 4);
	uint32_t fields_len = rd_u32(&r);
	struct dbus_in fields = { rd_init(r.p, fields_len), data };
	while (!fields.rd.bad && fields.rd.len)
		read_field(&fields, &m);
	if (fields.rd.bad)
		return -1;
	m.body = (struct dbus_in){ r, data };
	(void)rd_bytes(&m.body.rd, fields_len);
	skip_padding(&m.body, STRUCT_ALIGN);
	if (m.body.rd.bad)
		return -1;
	*out = m;
	return 0;
}
