/*
 * Inside of profile_read: the members of a profile, a policy or a request, one
 * table and one function for each.
 *
 * Pure. Nobody but profile_read.c includes this.
 */
#ifndef SUP_PROFILE_MEMBER_H
#define SUP_PROFILE_MEMBER_H

#include "supervisor/profile_token.h"

enum sup_member {
	SUP_MEMBER_SCHEMA,
	SUP_MEMBER_PROFILE,
	SUP_MEMBER_LIMITS,
	SUP_MEMBER_HALT,
	SUP_MEMBER_LEVEL,
	SUP_MEMBER_NETWORK,
	SUP_MEMBER_TOOLS,
	SUP_MEMBER_REQUIRE,
	SUP_MEMBER_PYTHON,
	SUP_MEMBER_PROCESSES,
	SUP_MEMBER_READ,
	SUP_MEMBER_WRITE,
	SUP_MEMBER_PACKAGES,
	SUP_MEMBER_EXEC,
	SUP_MEMBER_ENV,
	SUP_MEMBERS
};

const char *sup_member_word(enum sup_member member);

/* Whether a format has the member; PROFILES: in each of its profiles. */
bool sup_member_is_in(enum sup_member member, enum sup_format format);

/* Reads the value that is looked at, up to its last token. */
WIRE_MUST_USE enum wire_err sup_member_read(enum sup_member member,
    struct sup_tokens *tokens, struct sup_profile *profile);

#endif
