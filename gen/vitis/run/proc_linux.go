package run

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/cclforge/cclforge/gen/vitis/run/supervisor"
)

// marked are the processes of a job, by their environment.
func marked(dir string) []int {
	mark := []byte("\x00" + Marker + "=" + dir + "\x00")
	var pids []int
	for _, pid := range supervisor.Processes() {
		if pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || !bytes.Contains(append([]byte{0}, env...), mark) {
			continue
		}
		if _, state := supervisor.ParentOf(pid); state != 'Z' && state != 'X' {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killMarked kills what a job has left, and waits until it is gone.
func killMarked(dir string, limit time.Duration) bool {
	for begin := time.Now(); ; time.Sleep(supervisor.Look) {
		left := marked(dir)
		for _, pid := range left {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(left) == 0 {
			return true
		}
		if time.Since(begin) > limit {
			return false
		}
	}
}

// Alive reports whether a job of an earlier process can be followed: none can, as jobs of
// this host end with the process that started them.
func (e *Local) Alive(context.Context, string) (bool, error) { return false, nil }

// Cancel kills processes that run in a work directory although the build that started
// them is gone, which is so if it was killed together with its supervisors.
func (e *Local) Cancel(_ context.Context, dir string) error {
	if !killMarked(filepath.Clean(dir), 10*time.Second) {
		return fmt.Errorf("processes that work in %s cannot be killed", dir)
	}
	return nil
}
