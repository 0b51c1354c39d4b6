/*
 * The few library functions that a compiler may call by itself, since the
 * stub has no libc.
 */
#include "child/stub.h"
#include "child/sys.h"

void *memcpy(void *restrict to, const void *restrict from, size_t len);
void *memmove(void *to, const void *from, size_t len);
void *memset(void *to, int byte, size_t len);
int memcmp(const void *a, const void *b, size_t len);

void *
memcpy(void *restrict to, const void *restrict from, size_t len)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	while (len-- > 0)
		*t++ = *f++;
	return to;
}

void *
memmove(void *to, const void *from, size_t len)
{
	unsigned char *t = to;
	const unsigned char *f = from;

	if (t <= f)
		return memcpy(to, from, len);
	while (len-- > 0)
		t[len] = f[len];
	return to;
}

void *
memset(void *to, int byte, size_t len)
{
	unsigned char *t = to;

	while (len-- > 0)
		*t++ = (unsigned char)byte;
	return to;
}

int
memcmp(const void *a, const void *b, size_t len)
{
	const unsigned char *x = a, *y = b;

	for (; len > 0; len--, x++, y++)
		if (*x != *y)
			return *x < *y ? -1 : 1;
	return 0;
}

size_t
stub_strlen(const char *text)
{
	size_t len = 0;

	while (text[len] != '\0')
		len++;
	return len;
}

void
stub_put_decimal(char *to, uint64_t value)
{
	char digits[20];
	size_t n = 0;

	do
		digits[n++] = (char)('0' + value % 10);
	while ((value /= 10) != 0);
	while (n > 0)
		*to++ = digits[--n];
	*to = '\0';
}

int
stub_str_equal(const char *a, const char *b)
{
	while (*a != '\0' && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

void
stub_exit(int status)
{
	for (;;)
		STUB_SYS(__NR_exit_group, status);
}
