/*
 * mcpdrive: programs of several tenants in one supervisor process, through the
 * library, with the tools of MCP servers.
 *
 * Usage: mcpdrive LIBEXEC PYTHON CONFIG
 *
 * Each line of standard input is `TENANT PROGRAM`, where `\` and `n` in the
 * program stand for a newline, and TENANT `-` for terms that name none. One is
 * run after the other, the result printed on a line of its own. With `&` before
 * the tenant the next line is read as soon as the program has printed anything;
 * its result comes after that of the next program. With the tenant `!` the line
 * names a tool that is withdrawn. At the end of input everything is freed, and
 * a last line tells the descriptors that are more than at first:
 * "descriptors +D".
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/weir.h"

struct one {
	struct weir_execution *execution;
	struct weir_terms *terms;
	bool printed, finished;
};

static void
on_finished(void *arg, struct weir_execution *execution)
{
	struct one *one = arg;

	(void)execution;
	one->finished = true;
}

static bool
on_output(void *arg, enum weir_stream stream, const void *bytes, size_t len)
{
	struct one *one = arg;

	(void)stream;
	(void)bytes;
	one->printed |= len > 0;
	return true;
}

/* Goes on until it has printed something, or has its end. */
static bool
follow(struct weir *weir, struct one *one, bool to_the_end)
{
	while (one->execution != NULL && !one->finished &&
	    (to_the_end || !one->printed))
		if (!weir_dispatch(weir, -1))
			break;
	if (!to_the_end && (one->printed || one->finished))
		return true;
	if (one->execution != NULL && one->finished) {
		size_t len = 0;
		const char *text =
		    weir_text(one->execution, WEIR_TEXT_RESULT, &len);

		printf("%.*s\n", (int)len, text);
		(void)fflush(stdout);
	}
	weir_execution_free(one->execution);
	weir_terms_free(one->terms);
	one->execution = NULL;
	one->terms = NULL;
	return one->finished;
}

static bool
start(
    struct weir *weir, struct one *one, const char *tenant, const char *program)
{
	struct weir_terms_config config = {
	    .tenant = strcmp(tenant, "-") == 0 ? NULL : tenant};
	const struct weir_events events = {
	    .arg = one, .output = on_output, .finished = on_finished};
	struct weir_request request = {
	    .program = program, .program_len = strlen(program)};
	enum weir_fault fault;
	char error[WEIR_ERROR_MAX] = "";

	/* Others of the same owner, each time. */
	*one = (struct one){.finished = false};
	one->terms = weir_terms_new(&config, &fault, error);
	request.terms = one->terms;
	if (one->terms != NULL)
		one->execution = weir_start(weir, &request, &events, error);
	if (one->execution == NULL)
		fprintf(stderr, "mcpdrive: %s\n", error);
	return one->execution != NULL;
}

static bool
run(struct weir *weir, const char *tenant, const char *program)
{
	static struct one behind;
	char error[WEIR_ERROR_MAX];
	struct one one;
	bool good;

	if (strcmp(tenant, "!") == 0)
		return weir_tool_withdraw(weir, program, error);
	if (tenant[0] == '&')
		return start(weir, &behind, tenant + 1, program) &&
		    follow(weir, &behind, false);
	good = start(weir, &one, tenant, program) && follow(weir, &one, true);
	return good &&
	    (behind.execution == NULL || follow(weir, &behind, true));
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
