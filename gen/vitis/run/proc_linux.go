package run

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func processes() []int {
	names, _ := filepath.Glob("/proc/[0-9]*")
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(filepath.Base(name)); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// descendants are the children of a process and theirs, also those that have a
// session of their own. Those that have ended are left out.
func descendants(of int) []int {
	children := map[int][]int{}
	dead := map[int]bool{}
	for _, pid := range processes() {
		parent, state := parentOf(pid)
		children[parent] = append(children[parent], pid)
		dead[pid] = state == 'Z' || state == 'X'
	}
	all := children[of]
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return slices.DeleteFunc(all, func(pid int) bool { return dead[pid] })
}

// moves reports whether a process may start another one.
func moves(pid int) bool {
	_, state := parentOf(pid)
	return state == 'R' || state == 'S'
}

// parentOf reads /proc/<pid>/stat: "1 (name, with anything) S 2 …", proc(5).
func parentOf(pid int) (parent int, state byte) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 2 {
		return 0, 0
	}
	parent, _ = strconv.Atoi(fields[1])
	return parent, fields[0][0]
}

// marked are the processes of a job, by their environment.
func marked(dir string) []int {
	mark := []byte("\x00" + Marker + "=" + dir + "\x00")
	var pids []int
	for _, pid := range processes() {
		if pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || !bytes.Contains(append([]byte{0}, env...), mark) {
			continue
		}
		if _, state := parentOf(pid); state != 'Z' && state != 'X' {
			pids = append(pids, pid)
		}
	}
	return pids
}

// killMarked kills what a job has left, and waits until it is gone.
func killMarked(dir string, limit time.Duration) bool {
	for begin := time.Now(); ; time.Sleep(look) {
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
