package slurmtest

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"
)

// Two clusters stand beside each other, run jobs, and leave nothing behind.
func TestClusters(t *testing.T) {
	t.Parallel()
	for _, nodes := range []int{1, 3} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			c, err := Start(t.Context(), Options{Nodes: nodes})
			if errors.Is(err, ErrMissing) {
				t.Skip(err)
			}
			assert.NilError(t, err)
			var out bytes.Buffer
			cmd := c.Command(t.Context(), "srun", "--nodes="+string('0'+rune(nodes)), "--label", "printenv", "SLURMD_NODENAME")
			cmd.Dir, cmd.Stdout, cmd.Stderr = c.Dir, &out, &out
			if err := cmd.Run(); err != nil || strings.Count(out.String(), ": n") != nodes {
				t.Errorf("srun on %d nodes: %v\n%s", nodes, err, &out)
			}
			sleep := c.Command(t.Context(), "sbatch", "--output=/dev/null", "--wrap=exec sleep 1000.25")
			sleep.Dir = c.Dir
			text, err := sleep.CombinedOutput()
			assert.Check(t, err == nil, "sbatch: %v\n%s", err, text)
			if err := c.await(t.Context(), "the job", func() error {
				if len(processes(t, c.Conf, "1000.25")) == 0 {
					return errors.New("it does not run")
				}
				return nil
			}); err != nil {
				t.Error(err)
			}
			assert.Check(t, c.Stop())
			left := processes(t, c.Conf, "")
			assert.Check(t, len(left) == 0, "left: %q", left)
			_, err = os.Stat(c.dir)
			assert.Check(t, is.ErrorIs(err, os.ErrNotExist), "%s is still there", c.dir)
		})
	}
}

// processes are the commands of processes that have a cluster's SLURM_CONF.
func processes(t *testing.T, conf, arg string) []string {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	assert.NilError(t, err)
	var found []string
	for _, d := range dirs {
		env, _ := os.ReadFile(filepath.Join(d, "environ"))
		line, _ := os.ReadFile(filepath.Join(d, "cmdline"))
		if bytes.Contains(env, []byte("SLURM_CONF="+conf+"\x00")) && bytes.Contains(line, []byte(arg)) {
			found = append(found, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return found
}
