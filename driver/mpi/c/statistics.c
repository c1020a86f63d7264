#include "statistics.h"

#include "collectives.h"

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS 256 /* what does not fit is counted in the last one */

/* A row is of a collective with a type, or with the reason why it fell back. */
static struct row {
	const char *collective, *why;
	char type[MPI_MAX_OBJECT_NAME];
	uint64_t calls, bytes;
} rows[ROWS];
static int used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_wanted(void)
{
	static int wanted = -1; /* not known yet */
	const char *value;

	if (wanted < 0) {
		value = getenv("CCLFORGE_STATS");
		wanted = value != NULL && strcmp(value, "") != 0 && strcmp(value, "0") != 0;
	}
	return wanted;
}

static void count(const char *collective, const char *type, const char *why, size_t bytes)
{
	struct row *r = rows;

	pthread_mutex_lock(&lock);
	while (r != rows + used && (strcmp(r->collective, collective) != 0 || strcmp(r->type, type) != 0 ||
	                            (r->why == NULL) != (why == NULL) || (why != NULL && strcmp(r->why, why) != 0)))
		r++;
	if (r == rows + used && used == ROWS)
		r--;
	else if (r == rows + used) {
		used++;
		r->collective = collective;
		r->why = why;
		strcpy(r->type, type);
	}
	r->calls++;
	r->bytes += bytes;
	pthread_mutex_unlock(&lock);
}

void statistics_name(MPI_Datatype type, char name[MPI_MAX_OBJECT_NAME])
{
	int length;

	if (!is_wanted() || type == MPI_DATATYPE_NULL)
		strcpy(name, "");
	else if (ccl_is_predefined(type))
		PMPI_Type_get_name(type, name, &length);
	else
		strcpy(name, "derived");
}

void statistics_done(const char *collective, const char *type, size_t bytes)
{
	if (is_wanted())
		count(collective, type, NULL, bytes);
}

void statistics_fallback(const char *collective, const char *why)
{
	if (is_wanted())
		count(collective, "", why, 0);
}

void statistics_print(void)
{
	if (!is_wanted())
		return;
	fprintf(stderr, "\ncclforge, rank 0:\n%-22s %-18s %10s %16s\n", "by engines", "type", "calls", "bytes");
	for (struct row *r = rows; r != rows + used; r++)
		if (r->why == NULL)
			fprintf(stderr, "%-22s %-18s %10llu %16llu\n", r->collective, r->type, (unsigned long long)r->calls,
			        (unsigned long long)r->bytes);
	fprintf(stderr, "%-22s %-18s %10s\n", "by MPI", "", "calls");
	for (struct row *r = rows; r != rows + used; r++)
		if (r->why != NULL)
			fprintf(stderr, "%-22s %-18s %10llu   %s\n", r->collective, "", (unsigned long long)r->calls, r->why);
}
