package slurm

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

type entry struct {
	id     string
	state  string // "RUNNING"
	node   string // where it runs or ran; "" if it did not
	reason string // "Resources"
	dir    string
}

// queue is what squeue said last. Whoever needs to know asks, for all who wait.
type queue struct {
	turn   chan struct{} // holds one: who has it may look at the rest
	look   look
	others map[string]bool // jobs of other users that are followed
}

type look struct {
	at   time.Time // when it was taken
	jobs map[string]entry
	// err is why there was no answer, since a time. jobs are those of before then.
	err   error
	since time.Time
}

// watch is what squeue said at a time, or after.
func (e *Executor) watch(ctx context.Context, after time.Time) (look, error) {
	q := &e.queue
	select {
	case q.turn <- struct{}{}:
	case <-ctx.Done():
		return look{}, ctx.Err()
	}
	defer func() { <-q.turn }()
	if q.look.at.After(after) {
		return q.look, nil
	}
	began := time.Now()
	jobs, err := e.ask(ctx)
	switch {
	case ctx.Err() != nil:
		return look{}, ctx.Err()
	case err == nil:
		q.look = look{at: began, jobs: jobs}
	case q.look.err == nil:
		q.look = look{at: time.Now(), jobs: q.look.jobs, err: err, since: began}
	default:
		q.look.at, q.look.err = time.Now(), err
	}
	return q.look, nil
}

// follow takes another user's job into what is asked for.
func (e *Executor) follow(ctx context.Context, id string) error {
	select {
	case e.queue.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if e.queue.others == nil {
		e.queue.others = map[string]bool{}
	}
	e.queue.others[id] = true
	e.queue.look.at = time.Time{}
	<-e.queue.turn
	return nil
}

// ask lists our jobs, those that have ended lately too.
func (e *Executor) ask(ctx context.Context) (map[string]entry, error) {
	jobs, err := e.squeue(ctx, "--user="+strconv.Itoa(os.Getuid()))
	if err != nil || len(e.queue.others) == 0 {
		return jobs, err
	}
	more, err := e.squeue(ctx, "--jobs="+strings.Join(slices.Sorted(maps.Keys(e.queue.others)), ","))
	if unknownJob(err) {
		return jobs, nil
	}
	maps.Copy(jobs, more)
	return jobs, err
}

// job asks for a job; nil if Slurm does not know it (any more).
func (e *Executor) job(ctx context.Context, id string) (*entry, error) {
	jobs, err := e.squeue(ctx, "--jobs="+id)
	if unknownJob(err) {
		return nil, nil
	}
	if found, ok := jobs[id]; ok {
		return &found, nil
	}
	return nil, err
}

// jobIn asks for a user's job of a work directory that has not ended, the latest if
// there are several; nil if there is none.
func (e *Executor) jobIn(ctx context.Context, dir string, user int) (*entry, error) {
	jobs, err := e.squeue(ctx, "--user="+strconv.Itoa(user))
	if err != nil {
		return nil, err
	}
	var last *entry
	for _, found := range jobs {
		if found.dir == dir && found.active() && (last == nil || last.before(found)) {
			last = &found
		}
	}
	return last, nil
}

// before says whether a job was submitted before another one.
func (e entry) before(other entry) bool {
	return cmp.Or(cmp.Compare(len(e.id), len(other.id)), cmp.Compare(e.id, other.id)) < 0
}

// columns of squeue: number, state, host of the script, reason, directory.
const columns = "%A|%T|%B|%r|%Z"

func (e *Executor) squeue(ctx context.Context, which string) (map[string]entry, error) {
	text, err := e.command(ctx, "", "squeue", "--noheader", "--states=all", "--format="+columns, which)
	if err != nil {
		return nil, err
	}
	return parse(text)
}

func parse(text string) (map[string]entry, error) {
	jobs := map[string]entry{}
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "|", strings.Count(columns, "|")+1)
		if len(f) != 5 {
			continue // the rest of a name with an end of line in it, of somebody else's job
		}
		if _, err := strconv.ParseUint(f[0], 10, 64); err != nil {
			continue
		}
		found := entry{id: f[0], state: f[1], node: f[2], reason: f[3], dir: f[4]}
		if found.state == "" {
			return nil, fmt.Errorf("squeue says %q", line)
		}
		if found.node == "n/a" || found.node == "None assigned" || found.node == "(null)" {
			found.node = ""
		}
		jobs[found.id] = found
	}
	return jobs, nil
}

// States of squeue(1), "JOB STATE CODES".
var (
	waits = []string{"PENDING", "CONFIGURING", "REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "RESV_DEL_HOLD", "SPECIAL_EXIT"}
	ended = []string{"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY",
		"PREEMPTED", "REVOKED",
		"TIMEOUT", "LAUNCH_FAILED", "RECONFIG_FAIL"}
)

// active says whether a job is there and has not ended: it waits, runs, or its
// processes are being removed.
func (e entry) active() bool { return e.state != "" && !slices.Contains(ended, e.state) }

func (e entry) pending() bool { return slices.Contains(waits, e.state) }

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
