package cards

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// users are the processes that have a card open: its render node in /dev/dri, or
// its node of older drivers. Those of others are not seen without the right to.
func (h *system) users(bdf string) []Process {
	nodes, err := filepath.Glob(filepath.Join(h.root, "sys/bus/pci/devices", bdf, "drm", "renderD*"))
	if err != nil {
		return nil
	}
	device := map[string]bool{}
	for _, n := range nodes {
		device[filepath.Join("/dev/dri", filepath.Base(n))] = true
	}
	if len(device) == 0 {
		return nil
	}
	var list []Process
	processes, _ := filepath.Glob(filepath.Join(h.root, "proc", "[0-9]*", "fd"))
	for _, dir := range processes {
		files, err := os.ReadDir(dir)
		if err != nil {
			continue // it has ended, or belongs to somebody else
		}
		for _, f := range files {
			target, err := os.Readlink(filepath.Join(dir, f.Name()))
			if err != nil || !device[target] {
				continue
			}
			process := filepath.Dir(dir)
			id, _ := strconv.Atoi(filepath.Base(process))
			name, _ := os.ReadFile(filepath.Join(process, "comm"))
			list = append(list, Process{ID: id, Name: strings.TrimSpace(string(name))})
			break
		}
	}
	slices.SortFunc(list, func(a, b Process) int { return a.ID - b.ID })
	return list
}
