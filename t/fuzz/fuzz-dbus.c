/* wire/dbus: what a service manager might send. */
#include "base/base.h"

#include "t/fuzz/target.h"
#include "wire/dbus.h"

/* Every reader of values, over the same bytes. */
static void read_values(const struct dbus_message *m, const char *types)
{
	struct dbus_in in = m->body;

	for (const char *t = types; *t; t++) {
		if (*t == 'u') {
			(void)dbus_get_u32(&in);
			continue;
		}
		const char *s = dbus_get_string(&in);
		MUST(!s == in.rd.bad);
		MUST(!s || strlen(s) < m->body.rd.len);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dbus_message m;
	size_t whole = size < DBUS_FIXED ? 0 : dbus_size(data);

	MUST(whole <= DBUS_MESSAGE_MAX);
	if (dbus_parse(data, size, &m))
		return 0;
	MUST(whole == size);
	MUST(m.interface && m.member && m.error_name && m.signature);
	MUST(m.body.rd.p >= data && m.body.rd.p + m.body.rd.len == data + size);
	read_values(&m, "uoss");
	read_values(&m, "o");
	return 0;
}
