package slurm

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/cclforge/cclforge/gen/vitis/step"
)

// check looks for values that would make sbatch do something else than is meant.
func (o Options) check() error {
	for _, v := range []struct{ name, value string }{{"partition", o.Partition}, {"account", o.Account}, {"qos", o.QOS}} {
		if strings.ContainsFunc(v.value, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
			return fmt.Errorf("%w: %s %q has blanks or control characters", ErrOption, v.name, v.value)
		}
	}
	if strings.ContainsFunc(o.Constraint, unicode.IsControl) {
		return fmt.Errorf("%w: constraint %q has control characters", ErrOption, o.Constraint)
	}
	for _, option := range o.Extra {
		if err := checkExtra(option); err != nil {
			return err
		}
	}
	return nil
}

// ours are the options of sbatch that only this package sets, with their letters.
var ours = map[string]string{
	"array": "a", "chdir": "D", "clusters": "M", "dependency": "d", "error": "e", "export": "", "export-file": "",
	"help":  "h",
	"input": "i", "job-name": "J", "kill-on-invalid-dep": "", "nodes": "N", "ntasks": "n", "output": "o", "open-mode": "",
	"parsable": "", "quiet": "Q", "requeue": "", "no-requeue": "", "test-only": "", "usage": "", "version": "V",
	"wait": "W", "wrap": "",
}

func checkExtra(option string) error {
	long, isLong := strings.CutPrefix(option, "--")
	name, _, _ := strings.Cut(long, "=")
	switch {
	case strings.ContainsFunc(option, unicode.IsControl):
		return fmt.Errorf("%w: %q has control characters", ErrOption, option)
	case isLong && name != "":
		for reserved := range ours {
			// sbatch also takes beginnings of names.
			if strings.HasPrefix(reserved, name) {
				return fmt.Errorf("%w: %s is set by the build itself", ErrOption, option)
			}
		}
	case !isLong && len(option) > 1 && option[0] == '-':
		for reserved, letter := range ours {
			if option[1:2] == letter {
				return fmt.Errorf("%w: %s (--%s) is set by the build itself", ErrOption, option, reserved)
			}
		}
	default:
		return fmt.Errorf("%w: %q is no option; write an option and its value as one, like --gres=fpga:1", ErrOption, option)
	}
	return nil
}

// resources are the options of sbatch for what a step takes.
func resources(r step.Resources) ([]string, error) {
	if r.CPUs < 0 || r.Memory < 0 || r.Time < 0 {
		return nil, fmt.Errorf("%w: %d processors, %d MiB and %s cannot be less than nothing", ErrOption,
			r.CPUs, r.Memory, r.Time)
	}
	options := []string{fmt.Sprintf("--cpus-per-task=%d", max(1, r.CPUs))}
	if r.Memory > 0 {
		options = append(options, fmt.Sprintf("--mem=%dM", r.Memory))
	}
	if r.Time > 0 {
		options = append(options, "--time="+limit(r.Time))
	}
	return options, nil
}

// limit is a time as sbatch reads it, days-hours:minutes:seconds. Slurm counts
// whole minutes.
func limit(d time.Duration) string {
	minutes := int64(d / time.Minute)
	if d%time.Minute > 0 {
		minutes++
	}
	return fmt.Sprintf("%d-%02d:%02d:00", minutes/(24*60), minutes/60%24, minutes%60)
}
