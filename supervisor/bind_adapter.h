/*
 * The event loop as bindings want it (bindings/loop.h), on supervisor/loop.h.
 */
#ifndef SUP_BIND_ADAPTER_H
#define SUP_BIND_ADAPTER_H

#include "bindings/loop.h"
#include "supervisor/loop.h"

/* Fills in *ret_bind; loop must outlive it. */
void sup_bind_adapter(struct sup_loop *loop, struct bind_loop *ret_bind);

#endif
