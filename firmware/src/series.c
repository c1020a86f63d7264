#pragma GCC optimize("Os") /* seldom, and memory is short */

#include "series.h"

#include "task.h"

/* Communicators of several ranks at a time; those from before a reset give up their places. */
#define SERIES 76

static struct series all[SERIES];

/* The failures of communicators that are broken. */
static struct failure failures[8];
static uint32_t next_failure;

struct series *series_of(uint32_t context)
{
	struct series *place = NULL;

	for (struct series *s = all; s != all + SERIES; s++) {
		if (s->context == context)
			return s;
		if (s->context == 0) {
			place = s;
			break;
		}
		if (!s->configured && place == NULL)
			place = s;
	}
	if (place != NULL)
		*place = (struct series){ .context = context, .unsure = true };
	return place;
}

__attribute__((cold)) void series_reset(void)
{
	for (struct series *s = all; s != all + SERIES; s++) {
		s->unsure = true;
		s->failed = s->configured = false;
	}
}

struct failure *failure_of(const struct series *series)
{
	for (struct failure *f = failures; f != failures + sizeof(failures) / sizeof(failures[0]); f++)
		if (f->series == series)
			return f;
	return NULL;
}

__attribute__((cold)) void series_break(struct series *series, const struct failure *failure)
{
	struct failure *f = failure_of(series);

	if (series->failed)
		return;
	series->failed = true;
	tables_changed();
	if (f == NULL)
		f = &failures[next_failure++ % (sizeof(failures) / sizeof(failures[0]))];
	*f = *failure;
}

/* By a message that has arrived. */
__attribute__((cold)) void series_break_by(struct series *series, uint32_t rank, uint32_t number, uint32_t count,
                                           uint32_t shape)
{
	series_break(series, &(struct failure){ series, rank, number, count, shape, 0 });
}

void series_differs(uint32_t rank, uint32_t number, uint32_t count, uint32_t shape)
{
	series_break_by(self->series, rank, number, count, shape);
	task_fail(CCLO_RETURN_CODE_COLLECTIVE_MISMATCH);
}

