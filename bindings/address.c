#include "bindings/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#define TEXT_MAX 64 /* longer than every address and prefix */

struct block {
	uint8_t bytes[16];
	unsigned bits;
	enum bind_address_class class;
};

/* IANA IPv4 Special-Purpose Address Registry; multicast, and what is reserved
 * or was (RFC 5736, 6890, 7526). The first that fits counts. */
static const struct block v4_blocks[] = {
    {{0}, 8, BIND_ADDRESS_UNSPECIFIED},
    {{10}, 8, BIND_ADDRESS_PRIVATE},
    {{100, 64}, 10, BIND_ADDRESS_SHARED},
    {{127}, 8, BIND_ADDRESS_LOOPBACK},
    {{169, 254}, 16, BIND_ADDRESS_LINK_LOCAL},
    {{172, 16}, 12, BIND_ADDRESS_PRIVATE},
    {{192, 0, 0}, 24, BIND_ADDRESS_RESERVED},
    {{192, 0, 2}, 24, BIND_ADDRESS_RESERVED},
    {{192, 88, 99}, 24, BIND_ADDRESS_TUNNEL},
    {{192, 168}, 16, BIND_ADDRESS_PRIVATE},
    {{198, 18}, 15, BIND_ADDRESS_RESERVED},
    {{198, 51, 100}, 24, BIND_ADDRESS_RESERVED},
    {{203, 0, 113}, 24, BIND_ADDRESS_RESERVED},
    {{224}, 4, BIND_ADDRESS_MULTICAST},
    {{255, 255, 255, 255}, 32, BIND_ADDRESS_MULTICAST},
    {{240}, 4, BIND_ADDRESS_RESERVED},
};

/* IANA IPv6 Special-Purpose Address Registry. Whatever is not named here and
 * not in 2000::/3 is reserved. */
static const struct block v6_blocks[] = {
    {{0}, 128, BIND_ADDRESS_UNSPECIFIED},
    {{[15] = 1}, 128, BIND_ADDRESS_LOOPBACK},
    {{0x00, 0x64, 0xff, 0x9b, 0, 1}, 48, BIND_ADDRESS_TUNNEL},
    {{0x01}, 64, BIND_ADDRESS_RESERVED},
    {{0x20, 0x01, 0x0d, 0xb8}, 32, BIND_ADDRESS_RESERVED},
    {{0x20, 0x01, 0x00, 0x00}, 32, BIND_ADDRESS_TUNNEL}, /* Teredo */
    {{0x20, 0x01, 0x00}, 23, BIND_ADDRESS_RESERVED},
    {{0x20, 0x02}, 16, BIND_ADDRESS_TUNNEL}, /* 6to4 */
    {{0x3f, 0xfe}, 16, BIND_ADDRESS_RESERVED},
    {{0x3f, 0xff}, 20, BIND_ADDRESS_RESERVED},
    {{0x20}, 3, BIND_ADDRESS_PUBLIC},
    {{0xfc}, 7, BIND_ADDRESS_PRIVATE},
    {{0xfe, 0x80}, 10, BIND_ADDRESS_LINK_LOCAL},
    {{0xfe, 0xc0}, 10, BIND_ADDRESS_PRIVATE}, /* site-local, once */
    {{0xff}, 8, BIND_ADDRESS_MULTICAST},
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* Prefixes that an IPv4 address stands behind. */
static const uint8_t mapped[12] = {[10] = 0xff, [11] = 0xff};
static const uint8_t translated[12] = {0x00, 0x64, 0xff, 0x9b};

static bool
same_bits(const uint8_t *a, const uint8_t *b, unsigned bits)
{
	unsigned rest = bits % 8;
	uint8_t mask = (uint8_t)(0xff00u >> rest);

	return memcmp(a, b, bits / 8) == 0 &&
	    (rest == 0 || ((a[bits / 8] ^ b[bits / 8]) & mask) == 0);
}

static enum bind_address_class
find(const struct block *blocks, size_t count, const uint8_t *bytes,
    enum bind_address_class otherwise)
{
	for (size_t i = 0; i < count; i++)
		if (same_bits(blocks[i].bytes, bytes, blocks[i].bits))
			return blocks[i].class;
	return otherwise;
}

enum bind_address_class
bind_address_class(const struct bind_address *address)
{
	const uint8_t *bytes = address->bytes;

	if (!address->v6)
		return find(
		    v4_blocks, COUNT(v4_blocks), bytes, BIND_ADDRESS_PUBLIC);
	/* SECURITY: a translator hands it on to the IPv4 address. */
	if (memcmp(bytes, translated, sizeof(translated)) == 0 ||
	    memcmp(bytes, mapped, sizeof(mapped)) == 0)
		return find(v4_blocks, COUNT(v4_blocks), bytes + 12,
		    BIND_ADDRESS_PUBLIC);
	return find(v6_blocks, COUNT(v6_blocks), bytes, BIND_ADDRESS_RESERVED);
}

const char *bind_address_class_words(enum bind_address_class class)
{
	static const char *const words[] = {
#define X(name, text) [BIND_ADDRESS_##name] = text,
	    BIND_ADDRESS_CLASSES(X)
#undef X
	};

	return words[class];
}

/* SECURITY: the kernel connects to the IPv4 address of a mapped one. */
static void
unmap(struct bind_address *address)
{
	if (!address->v6 || memcmp(address->bytes, mapped, sizeof(mapped)) != 0)
		return;
	memmove(address->bytes, address->bytes + 12, 4);
	memset(address->bytes + 4, 0, 12);
	address->v6 = false;
}

bool
bind_address_from_socket(
    const void *sockaddr, size_t len, struct bind_address *ret_address)
{
	struct bind_address address = {.v6 = false};
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	sa_family_t family;

	if (len < offsetof(struct sockaddr, sa_family) + sizeof(family))
		return false;
	memcpy(&family,
	    (const uint8_t *)sockaddr + offsetof(struct sockaddr, sa_family),
	    sizeof(family));
	if (family == AF_INET && len >= sizeof(in)) {
		memcpy(&in, sockaddr, sizeof(in));
		memcpy(address.bytes, &in.sin_addr, 4);
	} else if (family == AF_INET6 && len >= sizeof(in6)) {
		memcpy(&in6, sockaddr, sizeof(in6));
		memcpy(address.bytes, &in6.sin6_addr, 16);
		address.v6 = true;
		unmap(&address);
	} else {
		return false;
	}
	*ret_address = address;
	return true;
}

/* As it stands, a mapped one too. */
static bool
parse(struct wire_span text, struct bind_address *ret)
{
	struct bind_address address = {.v6 = false};
	char copy[TEXT_MAX];

	if (text.len == 0 || text.len >= sizeof(copy) ||
	    memchr(text.p, '\0', text.len) != NULL)
		return false;
	memcpy(copy, text.p, text.len);
	copy[text.len] = '\0';
	address.v6 = strchr(copy, ':') != NULL;
	if (inet_pton(address.v6 ? AF_INET6 : AF_INET, copy, address.bytes) !=
	    1)
		return false;
	*ret = address;
	return true;
}

bool
bind_address_parse(struct wire_span text, struct bind_address *ret)
{
	if (!parse(text, ret))
		return false;
	unmap(ret);
	return true;
}

static bool
parse_bits(struct wire_span text, unsigned most, unsigned *ret_bits)
{
	unsigned bits = 0;

	if (text.len < 1 || text.len > 3 || (text.len > 1 && text.p[0] == '0'))
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.p[i] < '0' || text.p[i] > '9')
			return false;
		bits = bits * 10 + (unsigned)(text.p[i] - '0');
	}
	*ret_bits = bits;
	return bits <= most;
}

enum wire_err
bind_address_range_parse(struct wire_span text,
    struct bind_address_range *ret_range, struct wire_errinfo *info)
{
	static const uint8_t none[16];
	const uint8_t *slash =
	    text.len > 0 ? memchr(text.p, '/', text.len) : NULL;
	struct wire_span rest = {NULL, 0};
	struct bind_address_range range;
	uint8_t behind[16] = {0};
	unsigned most;

	if (slash != NULL) {
		rest.p = slash + 1;
		rest.len = text.len - (size_t)(rest.p - text.p);
		text.len = (size_t)(slash - text.p);
	}
	if (!parse(text, &range.address))
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT,
		    "no address; write one such as 10.1.2.3 or fd00::1, or a "
		    "network such as 10.1.0.0/16",
		    0);
	most = range.address.v6 ? 128 : 32;
	range.bits = most;
	if (slash != NULL && !parse_bits(rest, most, &range.bits))
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT,
		    "no length of a prefix behind the slash; it is 0 to 32, of "
		    "IPv6 to 128",
		    0);
	if (range.address.v6 &&
	    memcmp(range.address.bytes, mapped, sizeof(mapped)) == 0)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT,
		    "an IPv4 address as IPv6; write it as 10.1.2.3", 0);
	for (unsigned i = range.bits; i < most; i++)
		behind[i / 8] |= (uint8_t)(0x80u >> i % 8);
	for (unsigned i = 0; i < sizeof(behind); i++)
		behind[i] &= range.address.bytes[i];
	if (memcmp(behind, none, sizeof(none)) != 0)
		return wire_fail(info, WIRE_ERR_BAD_ARGUMENT,
		    "bits behind the prefix are not 0; write the network's "
		    "first address",
		    0);
	*ret_range = range;
	return WIRE_OK;
}

bool
bind_address_range_has(
    const struct bind_address_range *range, const struct bind_address *address)
{
	return range->address.v6 == address->v6 &&
	    same_bits(range->address.bytes, address->bytes, range->bits);
}

bool
bind_address_is_allowed(const struct bind_address *address,
    const struct bind_address_range *ranges, size_t count)
{
	if (bind_address_class(address) == BIND_ADDRESS_PUBLIC)
		return true;
	for (size_t i = 0; i < count; i++)
		if (bind_address_range_has(&ranges[i], address))
			return true;
	return false;
}
