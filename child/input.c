/*
 * Reading the launch plan: a sealed memfd, mapped and checked in place.
 */
#include <asm/stat.h>
#include <linux/errno.h>
#include <linux/mman.h>

#include "child/stub.h"
#include "child/sys.h"

int
stub_input_plan(int fd, struct wire_plan *ret_plan)
{
	struct stat st;
	long r = STUB_SYS(__NR_fstat, fd, &st);

	if (r < 0)
		return (int)-r;
	if (st.st_size <= 0 || (unsigned long)st.st_size > WIRE_PLAN_MAX)
		return EFBIG;
	/* Private: not even a broken seal could change it under the reader. */
	r = STUB_SYS(__NR_mmap, 0, st.st_size, 0x1 /* PROT_READ */,
	    0x2 /* MAP_PRIVATE */, fd, 0);
	if (r < 0 && r > -4096)
		return (int)-r;
	STUB_SYS(__NR_close, fd);
	if (wire_plan_decode(
		(struct wire_span){(const uint8_t *)r, (size_t)st.st_size},
		ret_plan) != WIRE_OK)
		return EBADMSG;
	return 0;
}
