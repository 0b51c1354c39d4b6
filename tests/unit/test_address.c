/*
 * Addresses: each block of the registries at its first and last address and
 * one beside either end, the forms that a socket address may have, and lists.
 */
#include "bindings/address.h"

#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* cmocka wants the headers above it first */
#include <cmocka.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct wire_span
span_of(const char *text)
{
	return (struct wire_span){(const uint8_t *)text, strlen(text)};
}

static struct bind_address
parse(const char *text)
{
	struct bind_address address;

	memset(&address, 0, sizeof(address));
	if (!bind_address_parse(span_of(text), &address))
		fail_msg("no address: %s", text);
	return address;
}

struct row {
	const char *first, *last;
	enum bind_address_class class;
	/* What stands before the first and behind the last. */
	enum bind_address_class before, behind;
};

#define P BIND_ADDRESS_PUBLIC
#define R BIND_ADDRESS_RESERVED
#define M BIND_ADDRESS_MULTICAST
#define T BIND_ADDRESS_TUNNEL

static const struct row rows[] = {
    {"0.0.0.0", "0.255.255.255", BIND_ADDRESS_UNSPECIFIED, M, P},
    {"10.0.0.0", "10.255.255.255", BIND_ADDRESS_PRIVATE, P, P},
    {"100.64.0.0", "100.127.255.255", BIND_ADDRESS_SHARED, P, P},
    {"127.0.0.0", "127.255.255.255", BIND_ADDRESS_LOOPBACK, P, P},
    {"169.254.0.0", "169.254.255.255", BIND_ADDRESS_LINK_LOCAL, P, P},
    {"172.16.0.0", "172.31.255.255", BIND_ADDRESS_PRIVATE, P, P},
    {"192.0.0.0", "192.0.0.255", R, P, P},
    {"192.0.2.0", "192.0.2.255", R, P, P},
    {"192.88.99.0", "192.88.99.255", T, P, P},
    {"192.168.0.0", "192.168.255.255", BIND_ADDRESS_PRIVATE, P, P},
    {"198.18.0.0", "198.19.255.255", R, P, P},
    {"198.51.100.0", "198.51.100.255", R, P, P},
    {"203.0.113.0", "203.0.113.255", R, P, P},
    {"224.0.0.0", "239.255.255.255", M, P, R},
    {"240.0.0.0", "255.255.255.254", R, M, M},
    {"255.255.255.255", "255.255.255.255", M, R, BIND_ADDRESS_UNSPECIFIED},
    {"::", "::", BIND_ADDRESS_UNSPECIFIED, M, BIND_ADDRESS_LOOPBACK},
    {"::1", "::1", BIND_ADDRESS_LOOPBACK, BIND_ADDRESS_UNSPECIFIED, R},
    /* compatible ones, and all else below 2000:: */
    {"::2", "::fffe:ffff:ffff", R, BIND_ADDRESS_LOOPBACK,
	BIND_ADDRESS_UNSPECIFIED},
    {"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", T, R, R},
    {"100::", "100::ffff:ffff:ffff:ffff", R, R, R},
    {"1fff::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", R, R, P},
    {"2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", T, P, R},
    {"2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", R, T, P},
    {"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", R, P, P},
    {"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", T, P, P},
    {"3ffe::", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", R, P, R},
    {"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", R, R, P},
    {"4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", R, P,
	BIND_ADDRESS_PRIVATE},
    {"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", BIND_ADDRESS_PRIVATE,
	R, R},
    {"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
	BIND_ADDRESS_LINK_LOCAL, R, BIND_ADDRESS_PRIVATE},
    {"fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", BIND_ADDRESS_PRIVATE,
	BIND_ADDRESS_LINK_LOCAL, M},
    {"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", M,
	BIND_ADDRESS_PRIVATE, BIND_ADDRESS_UNSPECIFIED},
};

/* By one, around the end. */
static struct bind_address
step(struct bind_address address, int by)
{
	for (int i = address.v6 ? 15 : 3; i >= 0; i--) {
		address.bytes[i] = (uint8_t)(address.bytes[i] + by);
		if (address.bytes[i] != (by > 0 ? 0 : 255))
			break;
	}
	/* What a kernel would connect to. */
	if (address.v6) {
		struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};

		memcpy(&in6.sin6_addr, address.bytes, 16);
		assert_true(
		    bind_address_from_socket(&in6, sizeof(in6), &address));
	}
	return address;
}

static void
t_every_block_to_its_ends(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct bind_address first = parse(rows[i].first);
		struct bind_address last = parse(rows[i].last);
		struct bind_address before = step(first, -1);
		struct bind_address behind = step(last, 1);
		const enum bind_address_class got[] = {
		    bind_address_class(&first), bind_address_class(&last),
		    bind_address_class(&before), bind_address_class(&behind)};
		const enum bind_address_class want[] = {rows[i].class,
		    rows[i].class, rows[i].before, rows[i].behind};

		for (size_t k = 0; k < 4; k++)
			if (got[k] != want[k])
				fail_msg("%s, %zu: %s, not %s", rows[i].first,
				    k, bind_address_class_words(got[k]),
				    bind_address_class_words(want[k]));
	}
}

static void
t_public_ones_are_public(void **state)
{
	static const char *const texts[] = {"1.1.1.1", "8.8.8.8",
	    "151.101.2.132", "223.255.255.255", "2606:4700::1111",
	    "2a00:1450:4001:81b::200e", "2000::1", "3fff:1000::1",
	    /* through a translator, to a public one */
	    "64:ff9b::8.8.8.8"};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct bind_address address = parse(texts[i]);

		if (!bind_address_is_allowed(&address, NULL, 0))
			fail_msg("%s: %s", texts[i],
			    bind_address_class_words(
				bind_address_class(&address)));
	}
}

/* Every block of IPv4, in each of IPv6's clothes. */
static void
t_ipv4_in_ipv6_is_ipv4(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[64];
		struct bind_address address;

		if (strchr(rows[i].first, ':') != NULL)
			continue;
		snprintf(text, sizeof(text), "::ffff:%s", rows[i].first);
		address = parse(text);
		assert_false(address.v6);
		assert_int_equal(bind_address_class(&address), rows[i].class);
		snprintf(text, sizeof(text), "64:ff9b::%s", rows[i].first);
		address = parse(text);
		assert_true(address.v6);
		assert_int_equal(bind_address_class(&address), rows[i].class);
		snprintf(text, sizeof(text), "::%s", rows[i].first);
		address = parse(text);
		assert_int_not_equal(
		    bind_address_class(&address), BIND_ADDRESS_PUBLIC);
	}
}

static void
t_from_a_socket(void **state)
{
	struct sockaddr_in in = {.sin_family = AF_INET};
	struct sockaddr_in6 in6 = {.sin6_family = AF_INET6};
	struct sockaddr other = {.sa_family = AF_UNIX};
	struct bind_address address = {.v6 = true};

	(void)state;
	in.sin_addr.s_addr = htonl(0x7f000001);
	assert_true(bind_address_from_socket(&in, sizeof(in), &address));
	assert_int_equal(bind_address_class(&address), BIND_ADDRESS_LOOPBACK);
	in6.sin6_addr = in6addr_loopback;
	assert_true(bind_address_from_socket(&in6, sizeof(in6), &address));
	assert_int_equal(bind_address_class(&address), BIND_ADDRESS_LOOPBACK);
	/* One byte too few, another family, nothing. */
	assert_false(bind_address_from_socket(&in, sizeof(in) - 1, &address));
	assert_false(bind_address_from_socket(&in6, sizeof(in6) - 1, &address));
	assert_false(bind_address_from_socket(&other, sizeof(other), &address));
	assert_false(bind_address_from_socket(&in, 1, &address));
	assert_false(bind_address_from_socket(&in, 0, &address));
}

static void
t_other_spellings_are_none(void **state)
{
	static const char *const texts[] = {"", "127.1", "0177.0.0.1",
	    "0x7f.0.0.1", "2130706433", "1.2.3.4.5", "1.2.3", "256.1.1.1",
	    "1.2.3.4 ", " 1.2.3.4", "1.2.3.4/8", "::1%lo", "[::1]", "fe80::1%1",
	    "1:2", ":::", "g::", "localhost", "1.2.3.4\n",
	    "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000"};
	struct bind_address address;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		if (bind_address_parse(span_of(texts[i]), &address))
			fail_msg("accepted: %s", texts[i]);
	assert_false(bind_address_parse(
	    (struct wire_span){(const uint8_t *)"1.2.3.4\0", 8}, &address));
	assert_false(bind_address_parse((struct wire_span){NULL, 0}, &address));
}

static void
t_ranges_have_what_they_say(void **state)
{
	static const struct {
		const char *range, *address;
		bool has;
	} table[] = {
	    {"127.0.0.1", "127.0.0.1", true},
	    {"127.0.0.1", "127.0.0.2", false},
	    {"127.0.0.1/32", "127.0.0.1", true},
	    {"127.0.0.0/31", "127.0.0.1", true},
	    {"127.0.0.0/31", "127.0.0.2", false},
	    {"10.128.0.0/9", "10.128.0.0", true},
	    {"10.128.0.0/9", "10.255.255.255", true},
	    {"10.128.0.0/9", "10.127.255.255", false},
	    {"10.128.0.0/9", "11.0.0.0", false},
	    {"0.0.0.0/0", "255.1.2.3", true},
	    {"0.0.0.0/0", "::1", false},
	    {"::/0", "::1", true},
	    {"::/0", "127.0.0.1", false},
	    {"127.0.0.1", "::ffff:127.0.0.1", true},
	    {"::1", "::1", true},
	    {"::1", "::2", false},
	    {"fd00:1::/33", "fd00:1:7fff::", true},
	    {"fd00:1::/33", "fd00:1:8000::", false},
	    {"fd00:1::/127", "fd00:1::1", true},
	    {"fd00:1::/127", "fd00:1::2", false},
	    {"64:ff9b::/96", "64:ff9b::127.0.0.1", true},
	    {"127.0.0.1", "64:ff9b::127.0.0.1", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct bind_address address = parse(table[i].address);
		struct bind_address_range range;
		struct wire_errinfo info = {"", 0, 0};

		if (bind_address_range_parse(
			span_of(table[i].range), &range, &info) != WIRE_OK)
			fail_msg("%s: %s", table[i].range, info.site);
		if (bind_address_range_has(&range, &address) != table[i].has)
			fail_msg("%s, %s", table[i].range, table[i].address);
		if (bind_address_class(&address) != P)
			assert_int_equal(
			    bind_address_is_allowed(&address, &range, 1),
			    table[i].has);
	}
}

static void
t_ranges_that_are_none(void **state)
{
	static const struct {
		const char *range, *why;
	} table[] = {
	    {"", "no address"},
	    {"/8", "no address"},
	    {"10.0.0/8", "no address"},
	    {"10.0.0.0/", "no length"},
	    {"10.0.0.0/33", "no length"},
	    {"10.0.0.0/08", "no length"},
	    {"10.0.0.0/-1", "no length"},
	    {"10.0.0.0/8/8", "no length"},
	    {"10.0.0.0/1000", "no length"},
	    {"fd00::/129", "no length"},
	    {"10.0.0.1/31", "bits behind"},
	    {"10.1.0.0/8", "bits behind"},
	    {"::1/127", "bits behind"},
	    {"128.0.0.0/0", "bits behind"},
	    {"::ffff:10.0.0.1", "an IPv4 address"},
	    {"::ffff:0:0/96", "an IPv4 address"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(table); i++) {
		struct bind_address_range range;
		struct wire_errinfo info = {"", 0, 0};

		if (bind_address_range_parse(span_of(table[i].range), &range,
			&info) != WIRE_ERR_BAD_ARGUMENT ||
		    strncmp(info.site, table[i].why, strlen(table[i].why)) != 0)
			fail_msg("%s: %s", table[i].range, info.site);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(t_every_block_to_its_ends),
	    cmocka_unit_test(t_public_ones_are_public),
	    cmocka_unit_test(t_ipv4_in_ipv6_is_ipv4),
	    cmocka_unit_test(t_from_a_socket),
	    cmocka_unit_test(t_other_spellings_are_none),
	    cmocka_unit_test(t_ranges_have_what_they_say),
	    cmocka_unit_test(t_ranges_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
