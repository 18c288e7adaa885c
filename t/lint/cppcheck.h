/*
 * What cppcheck must know of system headers that it does not read.
 */
#ifndef T_LINT_CPPCHECK_H
#define T_LINT_CPPCHECK_H

#define json_array_foreach(array, i, v) \
	for ((i) = 0; (i) < json_array_size(array) && ((v) = json_array_get(array, i)); (i)++)

#endif
