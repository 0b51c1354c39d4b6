/*
 * What the network namespace holds, asked of the kernel and not of a packet.
 */
#include <linux/if.h>
#include <linux/sockios.h>

#include "child/stub.h"
#include "child/sys.h"

#define AF_INET_    2
#define SOCK_DGRAM_ 2
#define CLOEXEC_    02000000
#define INDEX_MAX   16

/*
 * Interfaces are numbered from 1 in a fresh namespace: the loopback, then the
 * fallback devices of tunnel modules, fewer than ten in all (net/ipv4,
 * net/ipv6, net.core.fb_tunnels_only_for_init_net).
 */
void
stub_links_count(uint32_t *ret_links, uint32_t *ret_up)
{
	uint32_t links = 0, up = 0;
	long fd = STUB_SYS(__NR_socket, AF_INET_, SOCK_DGRAM_ | CLOEXEC_, 0);

	for (int i = 1; fd >= 0 && i <= INDEX_MAX; i++) {
		struct ifreq req;

		__builtin_memset(&req, 0, sizeof(req));
		req.ifr_ifindex = i;
		if (STUB_SYS(__NR_ioctl, fd, SIOCGIFNAME, &req) < 0)
			continue;
		links++;
		if (STUB_SYS(__NR_ioctl, fd, SIOCGIFFLAGS, &req) < 0 ||
		    (req.ifr_flags & IFF_UP) != 0)
			up++;
	}
	if (fd >= 0)
		STUB_SYS(__NR_close, fd);
	*ret_links = links;
	*ret_up = up;
}
