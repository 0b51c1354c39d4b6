/*
 * The three JSON formats that say what executions may have (C19), from bytes
 * to a struct: deployment profiles, a tenant's policy, a request. weir(1),
 * PROFILES, describes them.
 *
 * Owns: the formats. Refuses: everything that wire/json.h refuses, members it
 * does not know, values of another type or outside their range, combinations
 * that could not work, what a format may not say, and grants that this version
 * has no mechanism for. A text is judged whole, also the profiles of it that
 * are not asked for (W13). Steps are linear in the bytes; there is no
 * recursion, and every list has its maximum.
 *
 * Memory: none of its own; strings stand in the caller's arena. Threads: pure.
 */
#ifndef SUP_PROFILE_READ_H
#define SUP_PROFILE_READ_H

#include "supervisor/grades.h"
#include "supervisor/limits_table.h"
#include "wire/err.h"
#include "wire/json.h"

#define SUP_PROFILE_TEXT     (1UL << 20) /* bytes of a text */
#define SUP_PROFILE_KEYS     4096	 /* members that are open at one time */
#define SUP_PROFILE_NAME     64		 /* bytes of a profile's name */
#define SUP_PROFILE_PATHS    64
#define SUP_PROFILE_ENV	     64
#define SUP_PROFILE_TOOLS    1024
#define SUP_PROFILE_PROBLEM  512 /* bytes of a sentence */
#define SUP_PROFILE_FALLBACK "default"

enum sup_format {
	SUP_FORMAT_PROFILES,
	SUP_FORMAT_POLICY,
	SUP_FORMAT_REQUEST,
	SUP_FORMATS
};

/* "weir.profiles/1", ...: the member `schema`. */
const char *sup_format_schema(enum sup_format format);

enum sup_say { SUP_SAY_NOTHING, SUP_SAY_NO, SUP_SAY_YES };

/* What a profile may insist on, as bits. */
enum sup_require { SUP_REQUIRE_LANDLOCK = 1 << 0 };

struct sup_profile_list {
	size_t count;
	const char *text[SUP_PROFILE_PATHS];
};

/* What one profile, policy or request says. Strings stand in the arena. */
struct sup_profile {
	const char *profile;	     /* of a request: the one it names */
	uint64_t limits[SUP_LIMITS]; /* of a request maybe over the ceiling */
	uint32_t limits_given;	     /* bit 1 << SUP_LIMIT_x */
	bool halt_on_exhaust;
	bool level_given;
	enum sup_level level; /* the least that will do */
	enum sup_say network;
	/* Of a profile only. */
	uint32_t require; /* of enum sup_require */
	const char *python;
	struct sup_profile_list read, write, packages;
	/* Of a profile what is granted; of a policy all that may be left. */
	bool exec_given;
	struct sup_profile_list exec;
	size_t env_count;
	const char *env_names[SUP_PROFILE_ENV];
	const char *env_values[SUP_PROFILE_ENV];
	/* Of a policy only. */
	bool tools_given;
	size_t tool_count;
	struct wire_span tools[SUP_PROFILE_TOOLS];
};

struct sup_profile_problem {
	size_t offset;			/* of the text */
	char text[SUP_PROFILE_PROBLEM]; /* what is wrong, and what to do */
};

struct sup_profile_memory {
	struct wire_json_scratch *scratch; /* for SUP_PROFILE_KEYS */
	char *arena; /* as many bytes as the text; keeps the strings */
	struct sup_profile *spare; /* two of them: what is being read */
};

/*
 * Of PROFILES, name chooses the one that *ret_profile becomes; NULL stands for
 * SUP_PROFILE_FALLBACK. For the other formats it is NULL. On
 * WIRE_ERR_BAD_ARGUMENT *problem says why and *ret_profile is not written.
 */
WIRE_MUST_USE enum wire_err sup_profile_read(enum sup_format format,
    struct wire_span text, const char *name,
    const struct sup_profile_memory *memory, struct sup_profile *ret_profile,
    struct sup_profile_problem *problem);

/* Whether this can be the name of a profile: 1 to SUP_PROFILE_NAME of letters,
 * digits, '_', '.' and '-'. */
bool sup_profile_is_name(const char *text);

#endif
