#include "supervisor/elf_loader.h"

#include <bsd/string.h>
#include <elf.h>
#include <fcntl.h>
#include <string.h>

#include "supervisor/sys.h"

/* Copies len bytes from offset; false when they are not all there. */
static bool
take(struct wire_span head, uint64_t offset, void *ret_p, size_t len)
{
	if (len > head.len || offset > head.len - len)
		return false;
	memcpy(ret_p, head.p + offset, len);
	return true;
}

bool
sup_elf_loader_parse(struct wire_span head, const char **ret_path)
{
	static const uint8_t ident[] = {
	    ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB};
	Elf64_Ehdr header;
	Elf64_Phdr part;

	if (!take(head, 0, &header, sizeof(header)) ||
	    memcmp(header.e_ident, ident, sizeof(ident)) != 0 ||
	    header.e_phentsize != sizeof(part))
		return false;
	for (uint64_t i = 0; i < header.e_phnum; i++) {
		if (header.e_phoff > head.len ||
		    !take(head, header.e_phoff + i * sizeof(part), &part,
			sizeof(part)))
			return false;
		if (part.p_type != PT_INTERP)
			continue;
		if (part.p_filesz == 0 || part.p_filesz > head.len ||
		    part.p_offset > head.len - part.p_filesz ||
		    head.p[part.p_offset] != '/' ||
		    head.p[part.p_offset + part.p_filesz - 1] != '\0')
			return false;
		*ret_path = (const char *)head.p + part.p_offset;
		return true;
	}
	*ret_path = NULL;
	return true;
}

bool
sup_elf_loader(const char *file, char *path, size_t size)
{
	uint8_t bytes[SUP_ELF_HEAD];
	const char *loader = NULL;
	int fd = sup_sys_open(file, O_RDONLY | O_NONBLOCK);
	ssize_t n = fd < 0 ? fd : sup_sys_read_whole(fd, bytes, sizeof(bytes));

	sup_sys_close(&fd);
	if (n < 0 ||
	    !sup_elf_loader_parse(
		(struct wire_span){bytes, (size_t)n}, &loader))
		return false;
	return strlcpy(path, loader != NULL ? loader : "", size) < size;
}
