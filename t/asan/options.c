/*
 * options: what our programs tell AddressSanitizer where nobody else can.
 *
 * Linked into the programs of the asan variant only. Our own processes start
 * with an empty environment, so ASAN_OPTIONS does not reach them, and the leak
 * checker traces its process, which their filter refuses: there it would fail
 * at every exit. Where ASAN_OPTIONS is set (the front), it wins.
 */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
