/*
 * From evidence to ten grades, and from the grades to one level (C17; the
 * table stands in the manual). Pure; no second opinion exists.
 */
#ifndef SUP_GRADES_H
#define SUP_GRADES_H

#include "supervisor/evidence.h"
#include "supervisor/levels.h"

/* X(constant, word) */
#define SUP_GUARANTEES(X)                                                      \
	X(FILESYSTEM, "filesystem")                                            \
	X(NETWORK, "network")                                                  \
	X(PROCESS_TREE, "process_tree")                                        \
	X(IDENTITY, "identity")                                                \
	X(CPU, "cpu")                                                          \
	X(MEMORY, "memory")                                                    \
	X(FILE_SIZE, "file_size")                                              \
	X(PROCESS_COUNT, "process_count")                                      \
	X(WALL_CLOCK, "wall_clock")                                            \
	X(ENVIRONMENT, "environment")

enum sup_guarantee {
#define X(name, word) SUP_##name,
	SUP_GUARANTEES(X)
#undef X
	    SUP_GUARANTEE_COUNT
};

/* Ordered: a higher one is worth more. */
enum sup_grade { SUP_UNAVAILABLE, SUP_UNVERIFIED, SUP_ENFORCED };

#define SUP_EVIDENCE_TEXT 256

struct sup_grades {
	enum sup_grade grade[SUP_GUARANTEE_COUNT];
	char evidence[SUP_GUARANTEE_COUNT][SUP_EVIDENCE_TEXT];
	enum sup_level level;
};

const char *sup_guarantee_word(enum sup_guarantee guarantee);
const char *sup_grade_word(enum sup_grade grade);
const char *sup_level_word(enum sup_level level);

/*
 * The one function that derives the level. network: the host granted it, and
 * the filter that keeps other families away was seen; it is not what keeps the
 * level down to none then.
 */
enum sup_level sup_level_of(
    const enum sup_grade grade[SUP_GUARANTEE_COUNT], bool network);

void sup_grades_derive(
    const struct sup_evidence *evidence, struct sup_grades *ret_grades);

/*
 * Why an execution must not run at the wanted level, as a sentence that names
 * guarantee and stage; false when it may. Also refuses what no grade covers:
 * a foreign descriptor, a limit that is not what was planned.
 */
bool sup_grades_refuse(const struct sup_grades *grades,
    const struct sup_evidence *evidence, enum sup_level wanted, char *text,
    size_t text_max);

/* Whether a grade is lower than it was, also where the level stands; text
 * says which, and why. */
bool sup_grades_fell(const struct sup_grades *before,
    const struct sup_grades *now, char *text, size_t text_max);

/* --- for grades.c and grades_level.c ------------------------------------- */

/* The limit was planned, and the host read it as it was wanted. */
bool sup_grades_limit_stands(
    const struct sup_evidence *evidence, enum wire_limit limit);

/* The network was granted, and what the grant rests on stands. */
bool sup_grades_network_is_excused(const struct sup_evidence *evidence);

#endif
