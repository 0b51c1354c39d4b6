#include "supervisor/help.h"

#include "supervisor/limits_table.h"
#include "supervisor/log_options.h"
#include "supervisor/options.h"

static void
print_option(FILE *stream, const struct sup_option_text *option)
{
	char left[64];

	(void)snprintf(left, sizeof(left), "%s%s%s", option->word,
	    option->operand != NULL ? " " : "",
	    option->operand != NULL ? option->operand : "");
	(void)fprintf(stream, "  %-21s %s\n", left, option->help);
}

static void
print_limit(FILE *stream, const struct sup_limit_spec *spec)
{
	char initial[SUP_UNITS_TEXT], ceiling[SUP_UNITS_TEXT];

	(void)fprintf(stream, "  %-15s %7s %9s  %s\n", spec->word,
	    sup_units_format(spec->unit, spec->initial, initial),
	    sup_units_format(spec->unit, spec->ceiling, ceiling), spec->help);
}

void
sup_help_print(FILE *stream)
{
	unsigned limit;
	size_t i;

	(void)fprintf(stream,
	    "usage: weir run [options] [FILE | -c TEXT | -]\n"
	    "       weir doctor [options]\n"
	    "       weir log [options] RUN | FILE\n"
	    "\n"
	    "Runs one Python program, confined by the operating system, and "
	    "lets it call\nthe tools that are offered to it.\n"
	    "\noptions:\n");
	for (i = 0; sup_options_text(i) != NULL; i++)
		print_option(stream, sup_options_text(i));
	(void)fprintf(stream,
	    "\nlimits: name, default, ceiling (times: seconds, or ms s m h; "
	    "sizes: K M G)\n");
	for (limit = 0; limit < SUP_LIMITS; limit++) {
		if (sup_limit_spec(limit)->settable)
			print_limit(stream, sup_limit_spec(limit));
	}
	(void)fprintf(stream, "\nweir(1) describes them all.\n");
}

void
sup_help_print_doctor(FILE *stream)
{
	size_t i;

	(void)fprintf(stream,
	    "usage: weir doctor [options]\n"
	    "\n"
	    "Tries each step of the confinement on this host, and says why "
	    "one is refused\nand what to do about it.\n"
	    "\noptions:\n");
	for (i = 0; sup_options_doctor_text(i) != NULL; i++)
		print_option(stream, sup_options_doctor_text(i));
	(void)fprintf(stream,
	    "\nExits with 0 when the level, isolated unless asked, is "
	    "available, else with 1.\n"
	    "\nweir(1) describes what it prints.\n");
}

void
sup_help_print_log(FILE *stream)
{
	size_t i;

	(void)fprintf(stream,
	    "usage: weir log [options] --state DIR RUN\n"
	    "       weir log [options] FILE\n"
	    "\n"
	    "Prints the ledger of a Run, and says whether it is as it was "
	    "written.\n"
	    "\noptions:\n");
	for (i = 0; sup_log_options_text(i) != NULL; i++)
		print_option(stream, sup_log_options_text(i));
	(void)fprintf(stream,
	    "\nExits with 0 when it is, with 1 when it was altered, with 2 "
	    "when there is none.\n"
	    "\nweir(1) describes what it prints.\n");
}

void
sup_help_print_version(FILE *stream)
{
	(void)fprintf(stream, "weir %s\n", WEIR_VERSION);
#ifdef WEIR_TEST_LAYERS
	/* `make install` looks for these words and refuses such a build. */
	(void)fprintf(stream, "WEIR_TEST_LAYERS build\n");
#endif
}
