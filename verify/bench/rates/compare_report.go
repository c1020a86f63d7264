package rates

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// Compared is everything that was compared, and where.
type Compared struct {
	Machine  Machine `json:"machine"`
	Platform string  `json:"platform"`
	// OpenMPI is the version of what is compared with, or empty.
	OpenMPI string `json:"openmpi,omitempty"`
	// Without says why there is nothing to compare with.
	Without string  `json:"without_openmpi,omitempty"`
	Points  []Point `json:"points"`
	// Ways compares ways to the ranks, by number of ranks.
	Ways    []WayPoint `json:"ways,omitempty"`
	Figures []Figure   `json:"figures"`
}

// Machine is what was measured on.
type Machine struct {
	System string `json:"system"`
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"` // that Go uses
	Go     string `json:"go"`
	Load   string `json:"load,omitempty"` // load averages when the run began
}

// Point is an operation on a number of ranks and a size of buffers.
type Point struct {
	Operation string `json:"operation"`
	Ranks     int    `json:"ranks"`
	// Size is what was asked for, and Bytes what the largest buffer of a rank
	// had: a block has an element at least. Both are 0 without operands.
	Size  int `json:"size"`
	Bytes int `json:"bytes"`
	Times
	OpenMPI *Times `json:"openmpi,omitempty"`
	// Ratio is the median by that of OpenMPI, 0 if there is none.
	Ratio float64 `json:"ratio,omitempty"`
	// OnEngines is the program of OpenMPI with its collectives on engines, and OnEnginesRatio its median by that of
	// OpenMPI alone.
	OnEngines      *Times  `json:"openmpi_on_engines,omitempty"`
	OnEnginesRatio float64 `json:"openmpi_on_engines_ratio,omitempty"`
}

// Figure is a number that there is one of, and what it should be.
type Figure struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Unit  string  `json:"unit"`
	// Aim is the most that it should be, or the least if Least is set; 0 for none.
	Aim   float64 `json:"aim,omitempty"`
	Least bool    `json:"aim_is_least,omitempty"`
}

// Met tells whether the aim was met. A figure without an aim meets it.
func (f Figure) Met() bool {
	switch {
	case f.Aim == 0:
		return true
	case f.Least:
		return f.Value >= f.Aim
	}
	return f.Value <= f.Aim
}

// point finds a point; nil if it was not measured.
func (r *Compared) point(operation string, ranks, size int) *Point {
	for i := range r.Points {
		if p := &r.Points[i]; p.Operation == operation && p.Ranks == ranks && p.Size == size {
			return p
		}
	}
	return nil
}

// thisMachine describes the machine; what it does not tell stays empty.
func thisMachine() Machine {
	m := Machine{System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.GOMAXPROCS(0), Go: runtime.Version()}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		m.CPU = cpuModel(string(text))
	}
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		if f := strings.Fields(string(text)); len(f) >= 3 {
			m.Load = strings.Join(f[:3], " ")
		}
	}
	return m
}

func (m Machine) String() string {
	return fmt.Sprintf("%s, %d cores, %s", cmp.Or(m.CPU, m.System), m.Cores, m.Go)
}

func cpuModel(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}
