/* store/gate: names, links, trees and what cat-file says of objects. The first byte says which;
 * what is accepted keeps what the rules promise. */
#include "base/base.h"

#include <strings.h>

#include "store/gate-parts.h"
#include "t/fuzz/target.h"

#define OID "0123456789012345678901234567890123456789"

static void try_name(const char *name)
{
	const struct gate_limits limits = GATE_LIMITS_DEFAULT;
	enum gate_rule rule = gate_name_rule(name, &limits);
	BUF_AUTO folded = BUF_INIT;

	(void)gate_host_rule(name);
	gate_fold(name, &folded);
	MUST(!memchr(folded.data, '\0', folded.len));
	if (rule != RULE_NONE && gate_rules[rule].severity == GATE_REFUSED)
		return;
	MUST(name[0] && !strchr(name, '/') && strlen(name) <= limits.name_bytes);
	MUST(strcmp(name, ".") != 0 && strcmp(name, "..") != 0);
	MUST(strcasecmp(folded.data, ".git") != 0);
}

/* From a directory two below the top, step by step: never above the top. */
static void try_link(const char *target, size_t len)
{
	BUF_AUTO text = BUF_INIT;
	size_t depth = 2;

	if (gate_link_rule("d/e/link", target, len) != RULE_NONE)
		return;
	MUST(len && target[0] != '/' && !memchr(target, '\0', len));
	buf_add(&text, target, len);
	for (char *save = NULL, *name = strtok_r(text.data, "/\\", &save); name;
	     name = strtok_r(NULL, "/\\", &save)) {
		MUST(strcasecmp(name, ".git") != 0);
		if (strcmp(name, "..") == 0) {
			MUST(depth);
			depth--;
		} else if (strcmp(name, ".") != 0) {
			depth++;
		}
	}
}

static void try_tree(const char *data, size_t len)
{
	GATE_REPORT_AUTO report = GATE_REPORT_INIT;
	const struct change_list none = CHANGE_LIST_INIT;
	const struct gate_tree tree = {
		.prefix = "d/", .content = { data, len }, .hex = 40, .changes = &none
	};

	gate_tree_check(&tree, &report);
	gate_sort(&report);
	MUST(report.refused + report.flagged == report.len);
	for (size_t i = 0; i < report.len; i++)
		MUST(strncmp(report.v[i].path.data, "d/", 2) == 0);
}

static void try_answers(const char *data, size_t len)
{
	struct error err = ERROR_INIT;
	GATE_ASKS_AUTO asks = GATE_ASKS_INIT;

	gate_ask(&asks, NULL, OID, false);
	gate_ask(&asks, NULL, OID, true);
	buf_add(&asks.text, data, len);
	if (gate_answers_parse(&asks, &err)) {
		MUST(err.kind == ERR_CORRUPT && err.msg[0]);
		return;
	}
	MUST(!asks.v[0].data);
	if (asks.v[1].data)
		MUST(asks.v[1].data >= asks.text.data &&
		     asks.v[1].data + asks.v[1].size < asks.text.data + asks.text.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;
	BUF_AUTO name = BUF_INIT;

	if (size == 0)
		return 0;
	buf_add(&name, text, size - 1);
	if (data[0] % 4 == 0)
		try_name(name.data);
	else if (data[0] % 4 == 1)
		try_link(text, size - 1);
	else if (data[0] % 4 == 2)
		try_tree(text, size - 1);
	else
		try_answers(text, size - 1);
	return 0;
}
