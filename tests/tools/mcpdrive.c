/*
 * mcpdrive: programs of several tenants in one supervisor process, through the
 * library, with the tools of MCP servers.
 *
 * Usage: mcpdrive LIBEXEC PYTHON CONFIG
 *
 * Each line of standard input is `TENANT PROGRAM`, where `\` and `n` in the
 * program stand for a newline, and TENANT `-` for terms that name none. One is
 * run after the other, the result printed on a line of its own. At the end of
 * input everything is freed, and a last line tells the descriptors that are
 * more than at first: "descriptors +D".
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/weir.h"

static void
on_finished(void *arg, struct weir_execution *execution)
{
	bool *finished = arg;
	size_t len = 0;
	const char *text = weir_text(execution, WEIR_TEXT_RESULT, &len);

	printf("%.*s\n", (int)len, text);
	(void)fflush(stdout);
	*finished = true;
}

static bool
run(struct weir *weir, const char *tenant, const char *program)
{
	struct weir_terms_config config = {
	    .tenant = strcmp(tenant, "-") == 0 ? NULL : tenant};
	bool finished = false;
	const struct weir_events events = {
	    .arg = &finished, .finished = on_finished};
	struct weir_request request = {
	    .program = program, .program_len = strlen(program)};
	struct weir_execution *execution = NULL;
	struct weir_terms *terms;
	enum weir_fault fault;
	char error[WEIR_ERROR_MAX] = "the loop is broken";

	/* Others of the same owner, each time. */
	terms = weir_terms_new(&config, &fault, error);
	request.terms = terms;
	if (terms != NULL)
		execution = weir_start(weir, &request, &events, error);
	while (execution != NULL && !finished)
		if (!weir_dispatch(weir, -1))
			break;
	if (!finished)
		fprintf(stderr, "mcpdrive: %s\n", error);
	weir_execution_free(execution);
	weir_terms_free(terms);
	return finished;
}

static char *
read_file(const char *path, size_t *ret_len)
{
	FILE *file = fopen(path, "r");
	char *text = malloc(1 << 20);

	*ret_len = 0;
	if (file != NULL && text != NULL)
		*ret_len = fread(text, 1, 1 << 20, file);
	if (file != NULL)
		(void)fclose(file);
	return text;
}

static long
count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	long count = 0;

	while (dir != NULL && readdir(dir) != NULL)
		count++;
	if (dir != NULL)
		(void)closedir(dir);
	return count;
}

/* `\` and `n` become a newline. */
static void
unfold(char *text)
{
	char *to = text;

	for (; *text != '\0'; text++) {
		bool newline = text[0] == '\\' && text[1] == 'n';

		*to++ = newline ? '\n' : *text;
		text += newline;
	}
	*to = '\0';
}

int
main(int argc, char **argv)
{
	extern char **environ;
	static char line[1 << 16];
	struct weir_config config = {
	    .layers = ~0u, .environment = (const char *const *)environ};
	struct weir_source source;
	char error[WEIR_ERROR_MAX], *text;
	enum weir_fault fault;
	struct weir *weir;
	bool good = true;
	long before;

	if (argc != 4)
		return 2;
	config.libexec = argv[1];
	config.python = argv[2];
	before = count_fds();
	weir = weir_new(&config, &fault, error);
	text = read_file(argv[3], &source.len);
	source.name = argv[3];
	source.text = text;
	if (weir == NULL || !weir_mcp_servers(weir, &source, error)) {
		fprintf(stderr, "mcpdrive: %s\n", error);
		return 1;
	}
	while (good && fgets(line, sizeof(line), stdin) != NULL) {
		char *program = strchr(line, ' ');

		line[strcspn(line, "\n")] = '\0';
		if (program == NULL)
			return 2;
		*program++ = '\0';
		unfold(program);
		good = run(weir, line, program);
	}
	weir_free(weir);
	free(text);
	printf("descriptors +%ld\n", count_fds() - before);
	return good ? 0 : 1;
}
