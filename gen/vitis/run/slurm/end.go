package slurm

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// judge is how a job has ended, by its state; squeue(1), "JOB STATE CODES".
func (r *running) judge(ctx context.Context, found entry) error {
	where := fmt.Sprintf("(Slurm job %s", r.id)
	if found.node != "" {
		where += " on " + found.node
		r.starts(found.node) // it may have been too quick to be seen running
	}
	where += ")"
	takes := r.job.Step.Resources
	switch found.state {
	case "COMPLETED":
		return nil
	case "FAILED", "LAUNCH_FAILED", "RECONFIG_FAIL":
		return r.failed(ctx, where)
	case "TIMEOUT":
		return fmt.Errorf("%w: the step ran longer than %s %s", step.ErrTimeLimit, allowed(takes.Time > 0, takes.Time,
			"the cluster allows"), where)
	case "DEADLINE":
		return fmt.Errorf("%w: the job's deadline has passed %s", step.ErrTimeLimit, where)
	case "OUT_OF_MEMORY":
		return r.memory(where)
	case "NODE_FAIL":
		return fmt.Errorf("%w: its node failed while it ran; another build runs it again %s", step.ErrFailed, where)
	case "BOOT_FAIL":
		return fmt.Errorf("%w: its node did not start; another build runs it again %s", step.ErrFailed, where)
	case "PREEMPTED":
		return fmt.Errorf("%w: a job with a higher priority took its place; another build runs it again %s",
			step.ErrFailed, where)
	case "CANCELLED":
		return r.cancelled(found, where)
	default:
		return fmt.Errorf("%w: Slurm says %s %s", step.ErrFailed, found.state, where)
	}
}

func allowed(known bool, value any, otherwise string) string {
	if known {
		return fmt.Sprintf("the %v it may", value)
	}
	return otherwise
}

func (r *running) memory(where string) error {
	mib := r.job.Step.Resources.Memory
	return fmt.Errorf("%w: the step took more than %s %s", step.ErrMemory, allowed(mib > 0, fmt.Sprint(mib, " MiB"),
		"the cluster allows"), where)
}

func (r *running) cancelled(found entry, where string) error {
	if err := r.failedNeed(); err != nil {
		return err
	}
	switch {
	case strings.HasPrefix(found.reason, "DependencyNeverSatisfied"), found.reason == "Dependency" && found.node == "":
		return fmt.Errorf("%w: a step that it needs has not ended well %s", step.ErrNotRun, where)
	case r.said("memory limit"):
		return r.memory(where)
	case found.node == "":
		return fmt.Errorf("%w: it was cancelled before it began, and not by this build %s", step.ErrFailed, where)
	}
	return fmt.Errorf("%w: it was cancelled, and not by this build %s", step.ErrFailed, where)
}

// failed is the end of a script that failed, or that did not get to run.
func (r *running) failed(ctx context.Context, where string) error {
	status, there := r.exit()
	if there && status != 0 {
		return fmt.Errorf("%w: exit status %d %s", step.ErrFailed, status, where)
	}
	if r.said("memory limit") { // JobAcctGatherParams=OverMemoryKill
		return r.memory(where)
	}
	facts := r.facts(ctx)
	code, signal, _ := strings.Cut(facts["ExitCode"], ":")
	var says []string
	switch reason := facts["Reason"]; {
	case reason == "JobLaunchFailure":
		says = append(says, "its node could not start it ("+reason+")")
	case signal != "" && signal != "0":
		says = append(says, "signal "+signal)
	case code != "":
		says = append(says, "exit status "+code)
	}
	if text := r.messages(); text != "" {
		says = append(says, text)
	}
	if !there {
		says = append(says, "the script left no exit status: does the node see "+r.job.Dir+"?")
	}
	return fmt.Errorf("%w: %s %s", step.ErrFailed, strings.Join(says, "; "), where)
}

// facts are what scontrol says of a job: words like ExitCode=1:0.
func (r *running) facts(ctx context.Context) map[string]string {
	facts := map[string]string{}
	text, err := r.e.command(ctx, "", "scontrol", "--oneliner", "show", "job", r.id)
	if err != nil {
		return facts
	}
	for word := range strings.FieldsSeq(text) {
		name, value, ok := strings.Cut(word, "=")
		if _, twice := facts[name]; ok && !twice {
			facts[name] = value
		}
	}
	return facts
}

// messages are the last of Slurm's own messages about the job.
func (r *running) messages() string {
	text, err := os.ReadFile(filepath.Join(r.job.Dir, outFile))
	if err != nil {
		return ""
	}
	text = text[max(0, len(text)-1000):]
	return message("slurmstepd", strings.ToValidUTF8(string(text), "?"))
}

func (r *running) said(text string) bool { return strings.Contains(r.messages(), text) }

// exit is the script's exit status, if it has left one.
func (r *running) exit() (status int, there bool) {
	// Where the directory is on NFS, listing it shows what is new.
	_, _ = os.ReadDir(r.job.Dir)
	text, err := os.ReadFile(filepath.Join(r.job.Dir, step.ExitFile))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false
	}
	status, bad := strconv.Atoi(strings.TrimSpace(string(text)))
	return status, err == nil && bad == nil
}

// lag is how long a file that another host has written may take to be seen here.
const lag = time.Minute

// vanished looks for the end of a job that the queue does not show: in Slurm's
// records, or in the exit status that its script has left.
func (r *running) vanished(ctx context.Context) (ended bool, err error) {
	found := r.recall(ctx)
	if found.active() {
		r.missing = 0
		return false, nil
	}
	if found.state != "" {
		return true, r.judge(ctx, found)
	}
	for began := time.Now(); ; {
		if status, there := r.exit(); there {
			r.starts("")
			if status == 0 {
				return true, nil
			}
			return true, fmt.Errorf("%w: exit status %d (Slurm job %s)", step.ErrFailed, status, r.id)
		}
		if time.Since(began) > min(lag, r.e.o.Patience) {
			return true, fmt.Errorf("%w: Slurm no longer knows job %s, and its script has left no exit status",
				step.ErrFailed, r.id)
		}
		if err := pause(ctx, r.interval()); err != nil {
			return true, err
		}
	}
}

// recall is what Slurm's records say of a job that the queue does not show; without
// a state if they say nothing.
func (r *running) recall(ctx context.Context) entry {
	if facts := r.facts(ctx); facts["JobState"] != "" {
		return entry{id: r.id, state: facts["JobState"], node: facts["BatchHost"], reason: facts["Reason"]}
	}
	if !r.e.sacct {
		return entry{}
	}
	text, err := r.e.command(ctx, "", "sacct", "--jobs="+r.id, "--allocations", "--noheader", "--parsable2",
		"--format=State,NodeList")
	if err != nil {
		return entry{}
	}
	state, node, _ := strings.Cut(strings.TrimSpace(text), "|")
	state, _, _ = strings.Cut(state, " ") // "CANCELLED by 1000"
	found := entry{id: r.id, state: state, node: node}
	if node == "None assigned" {
		found.node = ""
	}
	if found.active() { // accounting did not hear of its end
		return entry{}
	}
	return found
}
