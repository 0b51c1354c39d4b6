/*
 * Of grades.h: the level that grades come to, what is refused for want of one,
 * and what has fallen.
 */
#include <inttypes.h>
#include <stdio.h>

#include "supervisor/grades.h"

enum sup_level
sup_level_of(const enum sup_grade grade[SUP_GUARANTEE_COUNT], bool network)
{
	static const enum sup_guarantee isolated[] = {SUP_FILESYSTEM,
	    SUP_NETWORK, SUP_PROCESS_TREE, SUP_IDENTITY, SUP_FILE_SIZE,
	    SUP_WALL_CLOCK, SUP_ENVIRONMENT};
	bool all = true;

	for (size_t i = 0; i < sizeof(isolated) / sizeof(isolated[0]); i++)
		all = all && grade[isolated[i]] == SUP_ENFORCED;
	for (size_t i = 0; i < SUP_GUARANTEE_COUNT; i++)
		all = all && grade[i] != SUP_UNAVAILABLE;
	if (all)
		return SUP_LEVEL_ISOLATED;
	if (grade[SUP_FILESYSTEM] == SUP_ENFORCED &&
	    grade[SUP_ENVIRONMENT] == SUP_ENFORCED &&
	    (network || grade[SUP_NETWORK] >= SUP_UNVERIFIED) &&
	    grade[SUP_PROCESS_TREE] >= SUP_UNVERIFIED &&
	    grade[SUP_PROCESS_COUNT] >= SUP_UNVERIFIED)
		return SUP_LEVEL_PROCESS;
	return SUP_LEVEL_NONE;
}

/* The guarantee that keeps the level down: the first that is worst. */
static enum sup_guarantee
weakest(const struct sup_grades *g, const struct sup_evidence *e)
{
	enum sup_guarantee worst = SUP_FILESYSTEM;

	for (size_t i = 1; i < SUP_GUARANTEE_COUNT; i++)
		if (g->grade[i] < g->grade[worst] &&
		    (i != SUP_NETWORK || !sup_grades_network_is_excused(e)))
			worst = (enum sup_guarantee)i;
	return worst;
}

/*
 * SECURITY: what a grant of processes rests on, whatever the level (C14): that
 * none but the interpreter can be executed, that there is a bound of their
 * number, and that what they use is summed up.
 */
static bool
refuse_processes(const struct sup_grades *grades, const struct sup_evidence *e,
    char *text, size_t text_max)
{
	if (e->processes == 0 || e->backend == WIRE_BACKEND_NONE)
		return false;
	if (!e->landlock_proved) {
		(void)snprintf(text, text_max,
		    "stage landlock: processes are granted, and without "
		    "Landlock (errno %" PRIu32
		    ") more than the interpreter could be executed; the "
		    "kernel needs \"landlock\" in its lsm= list",
		    e->landlock_errno);
		return true;
	}
	if (grades->grade[SUP_PROCESS_COUNT] == SUP_UNAVAILABLE) {
		(void)snprintf(text, text_max, "limit processes: %s",
		    grades->evidence[SUP_PROCESS_COUNT]);
		return true;
	}
	return false;
}

bool
sup_grades_refuse(const struct sup_grades *grades,
    const struct sup_evidence *evidence, enum sup_level wanted, char *text,
    size_t text_max)
{
	if (grades->level < wanted) {
		enum sup_guarantee worst = weakest(grades, evidence);

		(void)snprintf(text, text_max,
		    "level %s was asked for and %s was had: %s is %s: %s",
		    sup_level_word(wanted), sup_level_word(grades->level),
		    sup_guarantee_word(worst),
		    sup_grade_word(grades->grade[worst]),
		    grades->evidence[worst]);
		return true;
	}
	if (refuse_processes(grades, evidence, text, text_max))
		return true;
	/* Whatever the level: a limit that was asked for and that nothing
	 * holds is not to be taken for one. */
	if (evidence->memory.by != SUP_MEMORY_NONE &&
	    grades->grade[SUP_MEMORY] == SUP_UNAVAILABLE) {
		(void)snprintf(
		    text, text_max, "%s", grades->evidence[SUP_MEMORY]);
		return true;
	}
	if (evidence->foreign_fd >= 0) {
		(void)snprintf(text, text_max,
		    "stage descriptors: descriptor %d is open inside and "
		    "nobody gave it",
		    evidence->foreign_fd);
		return true;
	}
	if (evidence->dumpable != 0 && evidence->backend != WIRE_BACKEND_NONE) {
		(void)snprintf(text, text_max,
		    "stage dumpable: the interpreter is dumpable");
		return true;
	}
	if (!sup_grades_limit_stands(evidence, WIRE_LIMIT_CORE) ||
	    !sup_grades_limit_stands(evidence, WIRE_LIMIT_NOFILE)) {
		(void)snprintf(text, text_max,
		    "stage %s: the limit is not in force",
		    sup_grades_limit_stands(evidence, WIRE_LIMIT_CORE)
			? "open_files"
			: "core");
		return true;
	}
	return false;
}

bool
sup_grades_fell(const struct sup_grades *before, const struct sup_grades *now,
    char *text, size_t text_max)
{
	for (size_t i = 0; i < SUP_GUARANTEE_COUNT; i++) {
		if (now->grade[i] >= before->grade[i])
			continue;
		(void)snprintf(text, text_max, "%s was %s and is %s: %s",
		    sup_guarantee_word((enum sup_guarantee)i),
		    sup_grade_word(before->grade[i]),
		    sup_grade_word(now->grade[i]), now->evidence[i]);
		return true;
	}
	return false;
}
