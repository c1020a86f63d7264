package step

import (
	"context"
	"errors"
	"time"
)

// Executor runs the scripts of steps: processes on this host, or jobs of a cluster.
type Executor interface {
	// Submit hands over a job, which starts when all of after have ended well. It
	// does not wait. A job that an earlier run of ours submitted for the same
	// directory, and that is still there, is followed instead of started again.
	Submit(ctx context.Context, j Job, after []Running) (Running, error)
}

// Job is a step in its work directory: the script is there, and so are all files
// that do not come from other jobs.
type Job struct {
	Step *Step
	Key  string // of its result
	Dir  string // absolute; has Script, and gets Log
	// Follow says that a job was there for the directory a moment ago: if it has ended
	// since, Wait says how, and no other one is started.
	Follow bool
	// Lines, if not nil, is given each line of the log as it comes.
	Lines func(line string)
	// Started, if not nil, is called when the job begins to run, with where that
	// is: "", or the name of a host.
	Started func(where string)
	// Waiting, if not nil, is called when the reason for which a job does not run
	// yet changes: "nodes are busy".
	Waiting func(why string)
}

// Names of files in a work directory.
const (
	ScriptFile = "step.sh"
	LogFile    = "step.log"
	// ExitFile holds the exit status of the script, and is there when it has ended.
	ExitFile = "step.exit"
)

// Running is a job that was submitted.
type Running interface {
	// Wait waits for its end. The error matches ErrFailed if the script has failed,
	// ErrNotRun if one of those it had to come after has, and the context's if that
	// ended: then the job is cancelled, and is gone when Wait returns.
	Wait(ctx context.Context) error
}

var (
	// ErrFailed matches errors of scripts that have failed.
	ErrFailed = errors.New("the step has failed")
	// ErrNotRun matches errors of jobs that did not start.
	ErrNotRun = errors.New("not run")
	// ErrTimeLimit matches errors of jobs that took longer than they may.
	ErrTimeLimit = errors.New("the time limit is over")
	// ErrMemory matches errors of jobs that took more memory than they may.
	ErrMemory = errors.New("out of memory")
	// ErrLost matches errors of jobs of which nobody knows how they ended, or whether
	// they have: a later build can follow them.
	ErrLost = errors.New("lost sight of the job")
)

// EventKind is the kind of an event.
type EventKind string

const (
	Planned   EventKind = "planned"   // at the beginning, once for each step
	Present   EventKind = "present"   // its result was there
	Waiting   EventKind = "waiting"   // for another build that makes the same, or for its place in a queue
	Started   EventKind = "started"   // Detail: where
	Stage     EventKind = "stage"     // Detail: what its tool does now
	Finished  EventKind = "finished"  // its result is in the store
	Failed    EventKind = "failed"    // Err says why, Dir has the log
	Skipped   EventKind = "skipped"   // something that it needs has failed
	Cancelled EventKind = "cancelled" // by the user
)

// Event is something that has happened to a step in a build.
type Event struct {
	Time   time.Time
	Kind   EventKind
	Step   *Step
	Detail string
	// Why says, for Planned, what makes a run necessary; empty if there is none.
	Why []string
	// Expected is how long the step took in an earlier build; 0 if there was none.
	Expected time.Duration
	Elapsed  time.Duration // since it started
	Err      error
	Dir      string // the work directory
}
