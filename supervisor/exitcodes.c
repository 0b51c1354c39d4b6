#include "supervisor/exitcodes.h"

#include "wire/err.h"

#define ROW(kind, detail, code, manual)                                        \
	{                                                                      \
		SUP_KIND_##kind, SUP_EXIT_##detail, (code), (manual)           \
	}

static const struct sup_exit_row rows[] = {
    ROW(NONE, PLAIN, 0, "the program ended well"),
    ROW(EXCEPTION, PLAIN, 1, "exception"),
    ROW(INVALID_VALUE, PLAIN, 1, "invalid_value"),
    ROW(OUTPUT_LIMIT, PLAIN, 1, "output_limit"),
    ROW(PROTOCOL_VIOLATION, PLAIN, 1, "protocol_violation"),
    ROW(BUDGET_EXHAUSTED, PLAIN, 1, "budget_exhausted"),
    ROW(STEP_BUDGET, PLAIN, 1, "step_budget"),
    ROW(DISK, PLAIN, 1, "disk"),
    ROW(WORKER_EXIT, PLAIN, 1, "worker_exit with a status"),
    ROW(WORKER_EXIT, BY_SIGNAL, 128, "worker_exit by a signal"),
    ROW(TIMEOUT, PLAIN, 124, "timeout"),
    ROW(MEMORY, PLAIN, 137, "memory"),
    ROW(CANCELLED, PLAIN, 130, "cancelled"),
    ROW(SETUP, NOT_EXECUTABLE, 126, "the interpreter cannot be executed"),
    ROW(SETUP, NOT_FOUND, 127, "the interpreter cannot be found"),
    ROW(SETUP, PLAIN, SUP_EXIT_OTHER, "setup"),
    ROW(POLICY_REFUSED, PLAIN, SUP_EXIT_OTHER, "policy_refused"),
    ROW(ISOLATION_UNAVAILABLE, PLAIN, SUP_EXIT_OTHER, "isolation_unavailable"),
    ROW(NETWORK_NOT_ALLOWED, PLAIN, SUP_EXIT_OTHER, "network_not_allowed"),
    ROW(BACKEND_NOT_READY, PLAIN, SUP_EXIT_OTHER, "backend_not_ready"),
    ROW(PROVIDER_ERROR, PLAIN, SUP_EXIT_OTHER, "provider_error"),
    ROW(ARTIFACTS_UNAVAILABLE, PLAIN, SUP_EXIT_OTHER, "artifacts_unavailable"),
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

const struct sup_exit_row *
sup_exit_rows(size_t *ret_count)
{
	*ret_count = ROWS;
	return rows;
}

static const struct sup_exit_row *
find(enum sup_kind kind, enum sup_exit_detail detail)
{
	size_t i;

	for (i = 0; i < ROWS; i++) {
		if (rows[i].kind == kind && rows[i].detail == detail)
			return &rows[i];
	}
	return NULL;
}

int
sup_exit_code(enum sup_kind kind, enum sup_exit_detail detail, int signal)
{
	const struct sup_exit_row *row = find(kind, detail);

	if (row == NULL)
		row = find(kind, SUP_EXIT_PLAIN);
	if (row == NULL)
		return SUP_EXIT_OTHER;
	if (row->detail != SUP_EXIT_BY_SIGNAL)
		return row->code;
	WIRE_BUG_IF(signal < 1);
	WIRE_BUG_IF(signal > 64);
	return row->code + signal;
}
