/*
 * Verdicts of the system-call filter where the network is granted, beside those
 * of filter_rows.h.
 */
#ifndef TESTS_UNIT_FILTER_NETWORK_H
#define TESTS_UNIT_FILTER_NETWORK_H

#include <netinet/in.h>
#include <netinet/tcp.h>

#include "tests/unit/filter_rows.h"

/* These, and of rows those that no row here has the call and arguments of. */
static const struct row network_rows[] = {
    {"socket", {AF_INET, SOCK_STREAM, 0}, ALLOW},
    {"socket", {AF_INET6, SOCK_STREAM, 0}, ALLOW},
    {"socket", {AF_INET | HI, SOCK_STREAM | HI, HI}, ALLOW}, /* 32 bits each */
    {"socket", {AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0}, ALLOW},
    {"socket", {AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP}, ALLOW},
    {"socket", {AF_INET, SOCK_DGRAM, 0}, ALLOW},
    {"socket", {AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0}, ALLOW},
    {"socket", {AF_INET, SOCK_DGRAM, IPPROTO_UDP}, ALLOW},
    {"socket", {AF_INET6, SOCK_DGRAM, IPPROTO_UDPLITE}, ALLOW},
    {"socket", {AF_INET, SOCK_STREAM, IPPROTO_UDP}, DENY},
    {"socket", {AF_INET, SOCK_STREAM, IPPROTO_SCTP}, DENY},
    {"socket", {AF_INET, SOCK_STREAM, 262 /* IPPROTO_MPTCP */}, DENY},
    {"socket", {AF_INET, SOCK_STREAM, 256 /* IPPROTO_SMC */}, DENY},
    {"socket", {AF_INET, SOCK_DGRAM, IPPROTO_TCP}, DENY},
    {"socket", {AF_INET, SOCK_DGRAM, IPPROTO_ICMP}, DENY},
    {"socket", {AF_INET6, SOCK_DGRAM, IPPROTO_ICMPV6}, DENY},
    {"socket", {AF_INET, SOCK_DGRAM, 115 /* IPPROTO_L2TP */}, DENY},
    {"socket", {AF_INET, SOCK_RAW, IPPROTO_TCP}, DENY},
    {"socket", {AF_INET, SOCK_RAW, IPPROTO_RAW}, DENY},
    {"socket", {AF_INET6, SOCK_RAW, IPPROTO_UDP}, DENY},
    {"socket", {AF_INET, SOCK_SEQPACKET, 0}, DENY},
    {"socket", {AF_INET, SOCK_RDM, 0}, DENY},
    {"socket", {AF_INET, SOCK_DCCP, 0}, DENY},
    {"socket", {AF_INET, SOCK_PACKET, 3}, DENY},
    {"socket", {AF_INET, 0, 0}, DENY},
    {"socket", {AF_INET, SOCK_STREAM | 0x10, 0}, DENY},
    {"socket", {AF_UNIX, SOCK_STREAM, 0}, DENY},
    {"socket", {AF_UNIX, SOCK_DGRAM, 0}, DENY},
    {"socket", {AF_UNSPEC, SOCK_STREAM, 0}, DENY},
    {"socket", {AF_NETLINK, SOCK_RAW, 0}, DENY},
    {"socket", {AF_NETLINK, SOCK_DGRAM, 0}, DENY},
    {"socket", {AF_PACKET, SOCK_DGRAM, 0}, DENY},
    {"socket", {AF_PACKET, SOCK_RAW, 0}, DENY},
    {"socket", {AF_VSOCK, SOCK_STREAM, 0}, DENY},
    {"socket", {AF_BLUETOOTH, SOCK_STREAM, 0}, DENY},
    {"socket", {AF_ALG, SOCK_SEQPACKET, 0}, DENY},
    {"socket", {AF_TIPC, SOCK_STREAM, 0}, DENY},
    {"socket", {AF_RDS, SOCK_SEQPACKET, 0}, DENY},
    {"socket", {43 /* AF_SMC */, SOCK_STREAM, 0}, DENY},
    {"socket", {44 /* AF_XDP */, SOCK_RAW, 0}, DENY},
    {"socket", {-1ULL, SOCK_STREAM, 0}, DENY},
    {"bind", {3, PTR, 16}, ALLOW},
    {"bind", {3, PTR, 28}, ALLOW},
    {"bind", {3, PTR, 2}, DENY}, /* a Unix socket's name of the kernel's */
    {"bind", {3, PTR, 110}, DENY},
    {"bind", {3, PTR, 17}, DENY},
    {"bind", {3, PTR, 0}, DENY},
    {"connect", {3, PTR, 16}, ALLOW},
    {"connect", {3, PTR, 28}, ALLOW},
    {"connect", {3, PTR, 110}, DENY},
    {"connect", {3, PTR, 0}, DENY},
    {"sendto", {3, PTR, 1, 0, PTR, 16}, ALLOW},
    {"sendto", {3, PTR, 1, 0, PTR, 28}, ALLOW},
    {"sendto", {3, PTR, 1, 0, HI, 16}, ALLOW},
    {"sendto", {3, PTR, 1, 0, 1, 16}, ALLOW},
    {"sendto", {3, PTR, 1, 0, PTR, 110}, DENY},
    {"sendto", {3, PTR, 1, 0, PTR, 0}, DENY},
    {"listen", {3, 5}, ALLOW},
    {"accept", {3, PTR, PTR}, ALLOW},
    {"accept4", {3, PTR, PTR, SOCK_CLOEXEC}, ALLOW},
    {"sendmmsg", {3, PTR, 2}, ALLOW},
    {"recvmmsg", {3, PTR, 2}, ALLOW},
    {"listen", {3}, ALLOW},
    {"accept", {3}, ALLOW},
    {"accept4", {3}, ALLOW},
    {"sendmmsg", {3, PTR}, ALLOW},
    {"recvmmsg", {3, PTR}, ALLOW},
    {"socket", {AF_INET, SOCK_STREAM}, ALLOW},
    {"getsockopt", {3, IPPROTO_TCP, TCP_NODELAY, PTR}, ALLOW},
    {"getsockopt", {3, IPPROTO_TCP, TCP_KEEPIDLE, PTR}, ALLOW},
    {"getsockopt", {3, IPPROTO_TCP, TCP_KEEPINTVL, PTR}, ALLOW},
    {"getsockopt", {3, IPPROTO_TCP, TCP_KEEPCNT, PTR}, ALLOW},
    {"getsockopt", {3, IPPROTO_TCP, TCP_USER_TIMEOUT, PTR}, ALLOW},
    {"getsockopt", {3, IPPROTO_IPV6, IPV6_V6ONLY, PTR}, ALLOW},
    {"getsockopt", {3, IPPROTO_IP, 80 /* SO_ORIGINAL_DST */, PTR}, DENY},
    {"getsockopt", {3, IPPROTO_TCP, TCP_INFO, PTR}, DENY},
    {"getsockopt", {3, IPPROTO_TCP, 35 /* ZEROCOPY_RECEIVE */, PTR}, DENY},
    {"getsockopt", {3, IPPROTO_IPV6, 65 /* IP6T_SO_GET_INFO */, PTR}, DENY},
    {"setsockopt", {3, SOL_SOCKET, SO_LINGER, PTR}, ALLOW},
    {"setsockopt", {3, IPPROTO_TCP, TCP_NODELAY, PTR}, ALLOW},
    {"setsockopt", {3, IPPROTO_TCP, TCP_KEEPIDLE, PTR}, ALLOW},
    {"setsockopt", {3, IPPROTO_TCP, TCP_KEEPINTVL, PTR}, ALLOW},
    {"setsockopt", {3, IPPROTO_TCP, TCP_KEEPCNT, PTR}, ALLOW},
    {"setsockopt", {3, IPPROTO_TCP, TCP_USER_TIMEOUT, PTR}, ALLOW},
    {"setsockopt", {3, IPPROTO_IP, IP_RECVERR, PTR}, ALLOW},
    {"setsockopt", {3, IPPROTO_IPV6, IPV6_RECVERR, PTR}, ALLOW},
    {"setsockopt", {3, IPPROTO_IPV6, IPV6_V6ONLY, PTR}, ALLOW},
    {"setsockopt", {3, SOL_SOCKET, SO_REUSEPORT, PTR}, DENY},
    {"setsockopt", {3, SOL_SOCKET, SO_BINDTODEVICE, PTR}, DENY},
    {"setsockopt", {3, SOL_SOCKET, SO_MARK, PTR}, DENY},
    {"setsockopt", {3, SOL_SOCKET, SO_BROADCAST, PTR}, DENY},
    {"setsockopt", {3, SOL_SOCKET, SO_RCVBUFFORCE, PTR}, DENY},
    {"setsockopt", {3, SOL_SOCKET, 60 /* SO_ZEROCOPY */, PTR}, DENY},
    {"setsockopt", {3, IPPROTO_TCP, TCP_ULP, PTR}, DENY},
    {"setsockopt", {3, IPPROTO_TCP, TCP_CONGESTION, PTR}, DENY},
    {"setsockopt", {3, IPPROTO_TCP, TCP_REPAIR, PTR}, DENY},
    {"setsockopt", {3, IPPROTO_TCP, TCP_MD5SIG, PTR}, DENY},
    {"setsockopt", {3, IPPROTO_IP, IP_OPTIONS, PTR}, DENY},
    {"setsockopt", {3, IPPROTO_IP, IP_ADD_MEMBERSHIP, PTR}, DENY},
    {"setsockopt", {3, IPPROTO_IP, IP_TRANSPARENT, PTR}, DENY},
    {"setsockopt", {3, IPPROTO_IP, 64 /* IPT_SO_SET_REPLACE */, PTR}, DENY},
    {"setsockopt", {3, IPPROTO_IPV6, IPV6_PKTINFO, PTR}, DENY},
    {"setsockopt", {3, IPPROTO_UDP, 103 /* UDP_SEGMENT */, PTR}, DENY},
};

#define NETWORK_ROWS (sizeof(network_rows) / sizeof(network_rows[0]))

/* Those of filter_rows.h hold as well. */
static const struct bits network_bits[] = {
    {"socket", {AF_INET, SOCK_STREAM, 0}, 0, HALF},
    {"socket", {AF_INET6, SOCK_DGRAM, 0}, 0, HALF},
    {"socket", {AF_INET, SOCK_STREAM, IPPROTO_TCP}, 1,
	HALF | SOCK_CLOEXEC | SOCK_NONBLOCK},
    {"socket", {AF_INET, SOCK_DGRAM, IPPROTO_UDP}, 1,
	HALF | SOCK_CLOEXEC | SOCK_NONBLOCK},
    {"socket", {AF_INET, SOCK_STREAM, 0}, 2, HALF},
    {"socket", {AF_INET6, SOCK_DGRAM, IPPROTO_UDP}, 2, HALF},
    {"bind", {3, PTR, 16}, 2, HALF},
    {"connect", {3, PTR, 16}, 2, HALF},
    {"sendto", {3, PTR, 1, 0, PTR, 16}, 5, HALF},
    {"getsockopt", {3, IPPROTO_TCP, TCP_USER_TIMEOUT, PTR}, 1, HALF},
    {"getsockopt", {3, IPPROTO_TCP, TCP_USER_TIMEOUT, PTR}, 2, HALF},
    {"getsockopt", {3, IPPROTO_IPV6, IPV6_V6ONLY, PTR}, 1, HALF},
    {"getsockopt", {3, IPPROTO_IPV6, IPV6_V6ONLY, PTR}, 2, HALF},
    {"setsockopt", {3, SOL_SOCKET, SO_LINGER, PTR}, 1, HALF},
    {"setsockopt", {3, SOL_SOCKET, SO_LINGER, PTR}, 2, HALF},
    {"setsockopt", {3, IPPROTO_TCP, TCP_USER_TIMEOUT, PTR}, 1, HALF},
    {"setsockopt", {3, IPPROTO_TCP, TCP_USER_TIMEOUT, PTR}, 2, HALF},
    {"setsockopt", {3, IPPROTO_IP, IP_RECVERR, PTR}, 1, HALF},
    {"setsockopt", {3, IPPROTO_IP, IP_RECVERR, PTR}, 2, HALF},
    {"setsockopt", {3, IPPROTO_IPV6, IPV6_V6ONLY, PTR}, 1, HALF},
    {"setsockopt", {3, IPPROTO_IPV6, IPV6_V6ONLY, PTR}, 2, HALF},
};

#define BITS	     (sizeof(bits) / sizeof(bits[0]))
#define NETWORK_BITS (sizeof(network_bits) / sizeof(network_bits[0]))

static inline struct program
compile_with_network(enum sup_filter_arch arch)
{
	const struct sup_filter_params params = {
	    .arch = arch, .own_pid = OWN, .network = true};
	struct program program;

	assert_int_equal(sup_filter_compile(&params, program.insns,
			     SUP_FILTER_MAX, &program.len),
	    WIRE_OK);
	assert_true(bpf_check(program.insns, program.len));
	return program;
}

/* The i-th row of all; NULL for one that has another verdict here. */
static inline const struct row *
network_row(size_t i)
{
	size_t n;

	if (i >= ROWS)
		return &network_rows[i - ROWS];
	for (n = 0; n < NETWORK_ROWS; n++)
		if (strcmp(rows[i].name, network_rows[n].name) == 0 &&
		    memcmp(rows[i].args, network_rows[n].args,
			sizeof(rows[i].args)) == 0)
			return NULL;
	return &rows[i];
}

/* A row that does not hold, or NULL. */
static inline const struct row *
wrong_network_row(const struct program *program, enum sup_filter_arch arch)
{
	size_t i;

	for (i = 0; i < ROWS + NETWORK_ROWS; i++) {
		const struct row *row = network_row(i);
		int nr = row != NULL ? number(arch, row->name) : -1;

		if (nr >= 0 &&
		    verdict(program, arch, (uint32_t)nr, row->args) !=
			row->expect)
			return row;
	}
	return NULL;
}

static inline bool
is_allowed_with_network(const struct bits *b, const uint64_t args[6])
{
	size_t i, a;

	for (i = 0; i < ROWS + NETWORK_ROWS; i++) {
		const struct row *row = network_row(i);
		bool same = row != NULL && row->expect == ALLOW &&
		    strcmp(row->name, b->name) == 0 &&
		    ((row->args[b->arg] ^ args[b->arg]) & ~b->free) == 0;

		for (a = 0; same && a < 6; a++)
			same = a == b->arg || row->args[a] == args[a];
		if (same)
			return true;
	}
	return false;
}

/* As bits_hold, and with the other arguments looked at as well. */
static inline bool
network_bits_hold(const struct program *program, enum sup_filter_arch arch,
    const struct bits *b, unsigned *ret_bit)
{
	const int nr = number(arch, b->name);
	uint64_t args[6];
	uint32_t got;
	unsigned bit;

	for (bit = 0; nr >= 0 && bit < 64; bit++) {
		memcpy(args, b->args, sizeof(args));
		args[b->arg] ^= UINT64_C(1) << bit;
		*ret_bit = bit;
		got = verdict(program, arch, (uint32_t)nr, args);
		if ((b->free >> bit & 1) != 0
			? got != ALLOW
			: got != DENY && !is_allowed_with_network(b, args))
			return false;
	}
	return true;
}

/* Bits that do not count as they have to, or NULL. */
static inline const struct bits *
wrong_network_bits(
    const struct program *program, enum sup_filter_arch arch, unsigned *ret_bit)
{
	size_t i;

	for (i = 0; i < BITS; i++)
		if (!bits_hold(program, arch, &bits[i], ret_bit))
			return &bits[i];
	for (i = 0; i < NETWORK_BITS; i++)
		if (!network_bits_hold(
			program, arch, &network_bits[i], ret_bit))
			return &network_bits[i];
	return NULL;
}

#endif
