/*
 * DESCRIPTORS: nothing that the host had open comes further than here.
 */
#include <linux/errno.h>
#include <linux/fcntl.h>

#include "child/stub.h"
#include "child/sys.h"

/*
 * SECURITY: everything above the known numbers is closed, whatever it is:
 * lifelines and channels of other executions, files of the embedding host
 * that were opened without close-on-exec (CVE-2024-21626 is what one leaked
 * directory descriptor costs). close_range(2), Linux 5.9.
 */
int
stub_fds_close(unsigned mount_fds)
{
	static const int needed[] = {
	    0, 1, 2, WIRE_FD_CHANNEL, WIRE_FD_REPORT, WIRE_FD_SEAL};
	long r;

	r = STUB_SYS(__NR_close_range, WIRE_FD_MOUNTS + mount_fds, ~0U, 0);
	if (r < 0)
		return (int)-r;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		r = STUB_SYS(__NR_fcntl, needed[i], F_GETFD);
		if (r < 0)
			return (int)-r;
	}
	return 0;
}
