/*
 * Target: the launch plan. Properties: what is accepted encodes to the same
 * bytes; every text in it ends inside the bytes.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "wire/plan.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wire_plan plan;
	uint8_t *bytes, *again;
	size_t len = 0;

	/* malloc aligns as the contract asks. */
	bytes = malloc(size);
	again = malloc(size);
	FUZZ_REQUIRE(size == 0 || (bytes != NULL && again != NULL));
	if (size != 0)
		memcpy(bytes, data, size);
	if (wire_plan_decode((struct wire_span){bytes, size}, &plan) ==
	    WIRE_OK) {
		FUZZ_REQUIRE(
		    wire_plan_encode(&plan, again, size, &len) == WIRE_OK);
		FUZZ_REQUIRE(len == size && memcmp(bytes, again, size) == 0);
	}
	free(bytes);
	free(again);
	return 0;
}
