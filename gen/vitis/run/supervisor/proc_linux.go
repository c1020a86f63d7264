package supervisor

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Processes are the numbers of all processes.
func Processes() []int {
	d, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer d.Close()
	names, _ := d.Readdirnames(-1)
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
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
	for _, pid := range Processes() {
		parent, state := ParentOf(pid)
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
	_, state := ParentOf(pid)
	return state == 'R' || state == 'S'
}

// ParentOf reads /proc/<pid>/stat: "1 (name, with anything) S 2 …", proc(5).
func ParentOf(pid int) (parent int, state byte) {
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
