// Package slurm runs the steps of a build as jobs of a Slurm cluster, by Slurm's
// own commands (sbatch, squeue, scancel, scontrol and, where it works, sacct).
//
// All jobs of a build are submitted at once; Slurm keeps their order. What was
// submitted for a work directory is recorded there, so that another build can
// follow it when this one was killed.
package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Options of sbatch. Empty ones are left to the cluster. They are those of a platform, whose
// reader refuses what would make sbatch do something else than is meant.
type Options struct {
	Partition, Account, QOS, Constraint string
	// Extra are further options of sbatch, each with its value: "--gres=fpga:1".
	Extra []string
	// Poll is how often the queue is looked at; default 5 s, and more often at first.
	Poll time.Duration
	// Patience is how long Slurm may stay silent before a build gives up; default
	// 10 min.
	Patience time.Duration
	// Env is the environment of Slurm's commands and of jobs; default this
	// process's.
	Env []string
}

// Executor submits jobs to a cluster.
type Executor struct {
	o     Options
	env   []string
	gone  time.Duration // how long a cancelled job may take to go
	sacct bool

	queue queue

	mu     sync.Mutex
	doomed []string // jobs to be cancelled
}

var (
	// ErrMissing matches errors of hosts without Slurm's commands.
	ErrMissing = errors.New("the commands of Slurm are not there")
	// ErrNoAnswer matches errors of clusters whose slurmctld does not answer.
	ErrNoAnswer = errors.New("no answer from Slurm")
	// ErrOption matches errors in options.
	ErrOption = errors.New("wrong option for Slurm")
)

var programs = []string{"sbatch", "squeue", "scancel", "scontrol"}

// goneLimit is how long a cancelled job may take to go, beyond the time that the
// cluster gives it to stop (KillWait).
const goneLimit = time.Minute

// New returns an executor. The errors match ErrMissing, ErrNoAnswer or ErrOption,
// or are the context's.
func New(ctx context.Context, o Options) (*Executor, error) {
	if o.Poll <= 0 {
		o.Poll = 5 * time.Second
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Minute
	}
	if o.Env == nil {
		o.Env = os.Environ()
	}
	e := &Executor{o: o, env: environment(o.Env), queue: queue{turn: make(chan struct{}, 1)}}
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			return nil, fmt.Errorf(
				"%w: there is no %s; log in to a host of the cluster, or install them (Debian: slurm-client): %w",
				ErrMissing, name, err)
		}
	}
	if _, err := exec.LookPath("sacct"); err == nil {
		e.sacct = true
	}
	if err := e.greet(ctx); err != nil {
		return nil, err
	}
	return e, nil
}

// greet asks the cluster for its settings.
func (e *Executor) greet(ctx context.Context) error {
	text, err := e.command(ctx, "", "scontrol", "show", "config")
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	e.gone = goneLimit
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, "=")
		var seconds int
		if _, err := fmt.Sscanf(value, "%d sec", &seconds); err == nil && strings.TrimSpace(name) == "KillWait" {
			e.gone += time.Duration(seconds) * time.Second
		}
	}
	for name := range strings.SplitSeq(e.o.Partition, ",") {
		if name == "" {
			continue
		}
		if _, err := e.command(ctx, "", "scontrol", "show", "partition", name); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("%w: partition %q: %w", ErrOption, name, err)
		}
	}
	return nil
}
