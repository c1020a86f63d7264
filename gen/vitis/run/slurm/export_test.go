package slurm

import (
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// Words and Limit are words and limit.
var (
	Words = words
	Limit = limit
)

// Forgotten is a job that was submitted long ago.
func Forgotten(e *Executor, j step.Job, id string) step.Running {
	return &running{e: e, job: j, id: id, submitted: time.Now().Add(-time.Hour)}
}

// Ended is a job that has ended.
func Ended(e *Executor, j step.Job, id string, err error) step.Running {
	return &running{e: e, job: j, id: id, ended: true, err: err}
}
