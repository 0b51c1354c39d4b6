/*
 * Where the stub begins: no libc start-up (it costs 0.2 to 0.3 ms, mostly
 * CPU feature probing, on the path of every start).
 *
 * The stub is a static position-independent executable. Its own relocations
 * are all relative and are applied here before anything else; nothing in this
 * file may use a relocated pointer until then.
 */
#include <elf.h>

#include "child/stub.h"

#if defined(__x86_64__)
#define RELATIVE R_X86_64_RELATIVE
__asm__(".pushsection .text\n"
	".globl _start\n"
	".hidden _start\n"
	"_start:\n"
	"	xor %ebp, %ebp\n"
	"	mov %rsp, %rdi\n"
	"	and $-16, %rsp\n"
	"	call stub_start\n"
	"	hlt\n"
	".popsection\n");
#else
#define RELATIVE R_AARCH64_RELATIVE
__asm__(".pushsection .text\n"
	".globl _start\n"
	".hidden _start\n"
	"_start:\n"
	"	mov x29, #0\n"
	"	mov x30, #0\n"
	"	mov x0, sp\n"
	"	bl stub_start\n"
	"	brk #0\n"
	".popsection\n");
#endif

extern const Elf64_Dyn dynamic_section[] __asm__("_DYNAMIC")
    __attribute__((visibility("hidden")));
extern const Elf64_Ehdr image_start __asm__("__ehdr_start")
    __attribute__((visibility("hidden")));

/* ELF-64 Object File Format 1.5, "Dynamic Section": DT_RELA, DT_RELASZ. */
static void
relocate(void)
{
	uintptr_t base = (uintptr_t)&image_start;
	uintptr_t table = 0;
	size_t size = 0;

	for (const Elf64_Dyn *d = dynamic_section; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_RELA)
			table = base + d->d_un.d_ptr;
		else if (d->d_tag == DT_RELASZ)
			size = d->d_un.d_val;
	}
	for (size_t i = 0; i < size / sizeof(Elf64_Rela); i++) {
		const Elf64_Rela *r = (const Elf64_Rela *)table + i;

		if (ELF64_R_TYPE(r->r_info) == RELATIVE)
			*(uintptr_t *)(base + r->r_offset) =
			    base + (uintptr_t)r->r_addend;
	}
}

/* Called by _start with the initial stack: argc, argv, NULL, envp, NULL. */
__attribute__((noreturn, used, visibility("hidden"))) void
stub_start(long *stack)
{
	int argc = (int)stack[0];
	char **argv = (char **)(stack + 1);

	relocate();
	stub_main(argc, argv, argv + argc + 1);
}
