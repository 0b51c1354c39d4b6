/*
 * Replays inputs through a fuzz target.
 *
 * Usage: TARGET-replay FILE-OR-DIRECTORY...
 *
 * Each file becomes one input, in a heap block of exactly its size, so that a
 * sanitizer or valgrind sees a read past the end. Directories are taken with
 * everything below them. Prints the number of inputs. Exit status: 0; 2 for
 * no arguments; 1 for what cannot be read. A failing target ends the process.
 */
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEPTH_MAX 8

static unsigned long inputs;

static int
complain(const char *path)
{
	perror(path);
	return 1;
}

static int
replay_file(const char *path, size_t size)
{
	FILE *file = fopen(path, "rb");
	uint8_t *block;
	int status = 0;

	if (file == NULL)
		return complain(path);
	block = malloc(size);
	if (block == NULL && size != 0) {
		fclose(file);
		return complain(path);
	}
	if (size != 0 && fread(block, 1, size, file) != size)
		status = complain(path);
	fclose(file);
	if (status == 0) {
		(void)LLVMFuzzerTestOneInput(block, size);
		inputs++;
	}
	free(block);
	return status;
}

/* Recursion on the tree's own directories, at most DEPTH_MAX deep. */
static int
replay(const char *path, int depth)
{
	char below[4096];
	struct dirent *entry;
	struct stat st;
	int status = 0, len;
	DIR *dir;

	if (stat(path, &st) != 0)
		return complain(path);
	if (S_ISREG(st.st_mode))
		return replay_file(path, (size_t)st.st_size);
	dir = opendir(path);
	if (dir == NULL)
		return complain(path);
	while ((entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.' || depth == DEPTH_MAX)
			continue;
		len = snprintf(
		    below, sizeof(below), "%s/%s", path, entry->d_name);
		if (len < 0 || (size_t)len >= sizeof(below))
			continue;
		status |= replay(below, depth + 1);
	}
	closedir(dir);
	return status;
}

int
main(int argc, char **argv)
{
	int status = 0, i;

	if (argc < 2) {
		fprintf(stderr, "usage: %s FILE-OR-DIRECTORY...\n", argv[0]);
		return 2;
	}
	for (i = 1; i < argc; i++)
		status |= replay(argv[i], 0);
	printf("%lu inputs\n", inputs);
	return status;
}
