/*
 * Writes a module's plan in which every layer is off or empty but for the
 * clearing of dumpable, for driving _weir without a supervisor:
 * mkplan CHANNEL_FD [CANARY...] >FILE
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "wire/plan.h"

int
main(int argc, char **argv)
{
	static uint64_t words[WIRE_PLAN_MAX / sizeof(uint64_t)];
	static struct wire_plan plan;
	size_t len;
	int i;

	if (argc < 2 || argc - 2 > WIRE_PLAN_CANARIES) {
		fprintf(stderr, "usage: mkplan CHANNEL_FD [CANARY...]\n");
		return 2;
	}
	plan.layers = 1u << WIRE_STAGE_DUMPABLE | 1u << WIRE_STAGE_PROBE;
	plan.channel_fd = (uint32_t)strtoul(argv[1], NULL, 10);
	plan.workspace = "";
	/* No namespaces, so no root of its own either. */
	plan.backend = WIRE_BACKEND_PROCESS;
	for (i = 2; i < argc; i++)
		plan.canaries[plan.canary_count++] = argv[i];
	if (wire_plan_encode(&plan, (uint8_t *)words, sizeof(words), &len) !=
	    WIRE_OK) {
		fprintf(stderr, "mkplan: the plan is refused\n");
		return 1;
	}
	if (fwrite(words, 1, len, stdout) != len || fflush(stdout) != 0)
		return 1;
	return 0;
}
