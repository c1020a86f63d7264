package slurm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// commandLimit bounds each run of one of Slurm's commands. They try again for a
// while themselves when slurmctld is busy.
const commandLimit = 90 * time.Second

type commandError struct {
	command string
	message string // of the command, in one line
	err     error
}

func (e *commandError) Error() string {
	if e.message == "" {
		return e.command + ": " + e.err.Error()
	}
	return e.command + ": " + e.message
}

func (e *commandError) Unwrap() error { return e.err }

func (e *Executor) command(ctx context.Context, stdin, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, commandLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	var stdout, stderr bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = e.env, strings.NewReader(stdin), &stdout, &stderr
	cmd.WaitDelay = 10 * time.Second
	step.Group(cmd) // sbatch ends in order, and its job is cancelled, not left where nobody knows of it
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w (%w)", ctx.Err(), err)
		}
		return "", &commandError{command: name, message: message(name, stderr.String()), err: err}
	}
	return stdout.String(), nil
}

var prefix = regexp.MustCompile(`^(\w+: )?(error: |fatal: )?`)

// message is what a command printed, without its name before each line.
func message(name, text string) string {
	var parts []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), name+":"))
		if line = prefix.ReplaceAllString(line, ""); line != "" {
			parts = append(parts, line)
		}
	}
	return strings.Join(parts, "; ")
}

// says reports whether a command complained with one of these texts.
func says(err error, texts ...string) bool {
	var c *commandError
	if !errors.As(err, &c) {
		return false
	}
	for _, t := range texts {
		if strings.Contains(strings.ToLower(c.message), strings.ToLower(t)) {
			return true
		}
	}
	return false
}

func unknownJob(err error) bool { return says(err, "Invalid job id") }

// silent reports whether Slurm did not answer, or not in time: what was asked for
// may have been done all the same.
func silent(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || says(err, "Unable to contact slurm controller", "Socket timed out",
		"temporarily unable", "Zero Bytes were transmitted", "Resource temporarily unavailable", "Connection refused",
		"Connection reset", "Communication connection failure", "in standby mode", "Transport endpoint",
		"Unable to establish")
}

// environment is an environment for Slurm's commands: without what a job around
// this process was given, and without what would change what they do or print.
// sbatch(1), squeue(1) and scancel(1), "INPUT ENVIRONMENT VARIABLES".
func environment(env []string) []string {
	var out []string
	for _, pair := range env {
		name, _, _ := strings.Cut(pair, "=")
		switch {
		case name == "SLURM_CONF":
		case strings.HasPrefix(name, "SLURM_"), strings.HasPrefix(name, "SQUEUE_"), strings.HasPrefix(name, "SCANCEL_"),
			strings.HasPrefix(name, "SACCT_"), strings.HasPrefix(name, "SCONTROL_"):
			continue
		case strings.HasPrefix(name, "SBATCH_") && overrides[strings.TrimPrefix(name, "SBATCH_")]:
			continue
		}
		out = append(out, pair)
	}
	return out
}

// overrides are variables of sbatch that would change what a job is.
var overrides = map[string]bool{
	"ARRAY_INX": true, "CLUSTERS": true, "DEPENDENCY": true, "EXPORT": true, "GET_USER_ENV": true, "IGNORE_PBS": true,
	"OPEN_MODE": true, "REQUEUE": true, "NO_REQUEUE": true, "TEST_ONLY": true, "WAIT": true, "WAIT_ALL_NODES": true,
	"MEM_PER_CPU": true, "MEM_PER_GPU": true, "NUM_NODES": true,
}
