/*
 * Internet addresses: which are public, and lists of those that are not and
 * may be reached all the same.
 *
 * An IPv4 address in IPv6's clothes (::ffff:a.b.c.d) is the IPv4 address, for
 * that is what the kernel connects to. One behind a translator's prefix
 * (64:ff9b::/96, RFC 6052) is of the class of what it leads to. Of IPv6 only
 * 2000::/3 can be public, so what nobody has heard of is not.
 *
 * Pure.
 */
#ifndef BIND_ADDRESS_H
#define BIND_ADDRESS_H

#include "wire/err.h"
#include "wire/span.h"

struct bind_address {
	bool v6;
	uint8_t bytes[16]; /* of IPv4 the first four */
};

/* By the registries of special-purpose addresses (RFC 6890 and after). */
#define BIND_ADDRESS_CLASSES(X)                                                \
	X(PUBLIC, "a public address")                                          \
	X(UNSPECIFIED, "an unspecified address")                               \
	X(LOOPBACK, "a loopback address")                                      \
	X(PRIVATE, "an address of a private network")                          \
	X(SHARED, "an address of a carrier's network")                         \
	X(LINK_LOCAL, "a link-local address")                                  \
	X(MULTICAST, "a multicast or broadcast address")                       \
	X(TUNNEL, "an address of a tunnel or translator")                      \
	X(RESERVED, "a reserved address")

enum bind_address_class {
#define X(name, words) BIND_ADDRESS_##name,
	BIND_ADDRESS_CLASSES(X)
#undef X
	    BIND_ADDRESS_CLASS_COUNT
};

enum bind_address_class bind_address_class(const struct bind_address *address);

/* "a loopback address". Static strings. */
const char *bind_address_class_words(enum bind_address_class class);

/* From the bytes of a struct sockaddr, aligned or not; false for a family
 * that is none of the two, and for one that is cut short. */
bool bind_address_from_socket(
    const void *sockaddr, size_t len, struct bind_address *ret_address);

/* From the usual text: 192.0.2.1 or 2001:db8::1, and no other form. */
bool bind_address_parse(struct wire_span text, struct bind_address *ret);

/* All addresses whose first `bits` bits are those. */
struct bind_address_range {
	struct bind_address address;
	unsigned bits;
};

/* ADDRESS or ADDRESS/BITS. BAD_ARGUMENT with a site that says what is wrong:
 * bits behind the prefix have to be 0, and an IPv4 address is written so. */
WIRE_MUST_USE enum wire_err bind_address_range_parse(struct wire_span text,
    struct bind_address_range *ret_range, struct wire_errinfo *info);

bool bind_address_range_has(
    const struct bind_address_range *range, const struct bind_address *address);

/* Whether it is public or in one of the ranges. */
bool bind_address_is_allowed(const struct bind_address *address,
    const struct bind_address_range *ranges, size_t count);

#endif
