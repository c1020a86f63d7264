package slurm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// outFile is where Slurm's own messages about a job go.
const outFile = "slurm.out"

// Submit submits a job. If one for the same directory and key has not ended, it is
// followed instead; with j.Follow also one that has ended.
func (e *Executor) Submit(ctx context.Context, j step.Job, after []step.Running) (step.Running, error) {
	r, err := e.submit(ctx, j, after)
	if err != nil {
		return nil, fmt.Errorf("submit %s to Slurm: %w", j.Step.ID, err)
	}
	return r, nil
}

func (e *Executor) submit(ctx context.Context, j step.Job, after []step.Running) (*running, error) {
	r := &running{e: e, job: j}
	for _, a := range after {
		need, ok := a.(*running)
		if !ok || need.e != e {
			return nil, errors.New("it has to come after a job that is not of this cluster")
		}
		r.needs = append(r.needs, need)
	}
	if !filepath.IsAbs(j.Dir) || strings.ContainsAny(j.Dir, "\n\x00") {
		return nil, fmt.Errorf("%w: the work directory %q is not absolute, or has an end of line in its name",
			ErrOption, j.Dir)
	}
	found, err := e.find(ctx, j.Dir, j.Key, j.Follow)
	switch {
	case err != nil:
		return nil, err
	case found != nil:
		r.id, r.submitted, r.foreign = found.job, time.Now(), found.User != os.Getuid()
		if r.foreign {
			err = e.follow(ctx, r.id)
		}
		return r, err
	case j.Follow:
		return nil, fmt.Errorf("the record of the job that was to be followed has gone from %s", j.Dir)
	}
	if err := r.failedNeed(); err != nil {
		r.finish(err)
		return r, nil
	}
	for _, name := range []string{step.ExitFile, outFile} {
		if err := os.Remove(filepath.Join(j.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(j.Dir, step.LogFile), nil, 0o666); err != nil {
		return nil, err
	}
	return r, r.sbatch(ctx)
}

func (r *running) sbatch(ctx context.Context) error {
	rec := newRecord(r.job.Key)
	if err := rec.write(r.job.Dir); err != nil {
		return err
	}
	since := time.Now()
	for {
		id, err := r.trySbatch(ctx, rec)
		if err == nil {
			r.id, r.submitted = id, time.Now()
			if err = r.claim(ctx, rec); err == nil && ctx.Err() == nil {
				return nil
			}
			return errors.Join(ctx.Err(), err, r.cancel(ctx), rec.revoke(r.job.Dir))
		}
		switch {
		case ctx.Err() != nil:
			return errors.Join(ctx.Err(), r.e.drop(ctx, r.job.Dir, rec))
		case silent(err) && time.Since(since) < r.e.o.Patience:
			r.waits(quiet(err))
		case silent(err):
			return errors.Join(fmt.Errorf("%w since %s: %w", ErrNoAnswer, since.Format(time.TimeOnly), err),
				r.e.drop(ctx, r.job.Dir, rec))
		default:
			return errors.Join(err, r.e.drop(ctx, r.job.Dir, rec))
		}
		if err := pause(ctx, r.e.o.Poll); err != nil {
			return errors.Join(err, r.e.drop(ctx, r.job.Dir, rec))
		}
	}
}

// claim gives the record to the job, unless that of an earlier try has it, which is
// then the one that works.
func (r *running) claim(ctx context.Context, rec *record) error {
	err := rec.claim(r.job.Dir, r.id)
	switch {
	case err != nil:
		return err
	case rec.job == "":
		return fmt.Errorf("the record of job %s has gone from %s", r.id, r.job.Dir)
	case rec.job != r.id:
		_ = r.e.scancel(ctx, r.id) // it does nothing anyway
		r.id = rec.job
	}
	return nil
}

// stopSubmit is how long sbatch may go on when the context has ended: a job that it
// has handed over is then known, and can be cancelled.
const stopSubmit = 5 * time.Second

// trySbatch runs sbatch, and returns the number of the job. It looks first for a
// job that an earlier try has left, which may have begun, or be over.
func (r *running) trySbatch(ctx context.Context, rec *record) (string, error) {
	if r.tried {
		found, err := r.e.jobIn(ctx, r.job.Dir, rec.User)
		if err == nil {
			err = rec.reread(r.job.Dir)
		}
		switch {
		case err != nil:
			return "", err
		case rec.job != "":
			return rec.job, nil
		case found != nil:
			return found.id, nil
		}
	}
	r.tried = true
	slow, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		_ = pause(slow, stopSubmit)
		cancel()
	})
	defer stop()
	text, err := r.e.command(slow, r.script(rec), "sbatch", r.options()...)
	if err != nil {
		return "", err
	}
	// Sites may print a greeting before; in a federation, the cluster's name follows.
	lines := strings.Split(strings.TrimSpace(text), "\n")
	id, _, _ := strings.Cut(lines[len(lines)-1], ";")
	if id == "" || strings.Trim(id, "0123456789") != "" {
		return "", fmt.Errorf("sbatch says %q instead of the number of a job", text)
	}
	return id, nil
}

// options are those of sbatch(1).
func (r *running) options() []string {
	o := &r.e.o
	list := []string{"--parsable", "--job-name=" + r.job.Step.ID, "--chdir=" + r.job.Dir, "--output=" + logFile(r.job.Dir),
		"--open-mode=append",
		"--export=ALL", "--no-requeue", "--nodes=1", "--ntasks=1"}
	list = append(list, resources(r.job.Step.Resources)...)
	for _, v := range []struct{ name, value string }{
		{"partition", o.Partition}, {"account", o.Account}, {"qos", o.QOS}, {"constraint", o.Constraint},
	} {
		if v.value != "" {
			list = append(list, "--"+v.name+"="+v.value)
		}
	}
	list = append(list, o.Extra...)
	var ids []string
	for _, n := range r.needs {
		if !n.succeeded() {
			ids = append(ids, n.id)
		}
	}
	if len(ids) > 0 {
		list = append(list, "--dependency=afterok:"+strings.Join(ids, ":"), "--kill-on-invalid-dep=yes")
	}
	return list
}

// logFile is where Slurm's messages go. It reads % and \ in the whole path as signs
// for something else, so that it cannot be told some paths.
func logFile(dir string) string {
	if strings.ContainsAny(dir, `%\`) {
		return "/dev/null"
	}
	return outFile
}

// script is what the job does. If it has no record, and cannot take the one that was
// made for it, it does nothing: it was submitted by a build that was killed before it
// knew that it had been. It stays until the step has ended, also when the job is
// cancelled, as some clusters lose sight of processes whose parent has gone
// (proctrack/linuxproc).
func (r *running) script(rec *record) string {
	return fmt.Sprintf(`#!/bin/bash
# %s
cd %s || exit 1
mine=%s.$SLURM_JOB_ID%s
said=$(mv -f %s "$mine" 2>&1)
if [ ! -e "$mine" ]; then
	echo "another job does this work: $said"
	exit 1
fi
stopped=
trap stopped=yes TERM
set -m
bash %[7]s >%[8]s 2>&1 </dev/null &
step=$!
set +m
wait "$step"
status=$?
while kill -0 "$step" 2>/dev/null; do
	wait "$step"
	status=$?
done
kill -KILL -- "-$step" 2>/dev/null
if [ -z "$stopped" ] && [ ! -e %[6]s ]; then
	echo "$status" >.%[6]s.new && mv -f .%[6]s.new %[6]s || exit 1
fi
exit "$status"
`, comment(r.job.Step.ID), step.Quote(r.job.Dir), recordPrefix+rec.id, recordSuffix, rec.file(""), step.ExitFile,
		step.ScriptFile, step.LogFile)
}

func comment(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, text)
}
