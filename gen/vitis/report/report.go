// Package report shows builds, to people and to programs: progress while they run, and
// then timing, utilization, power and the linked kernels, as the vendor's tools report
// them, next to earlier builds.
package report

import (
	"time"
)

// Schema is the number of the form of build.json. It changes when the meaning of a
// field does; further fields do not change it.
const Schema = 1

// Build is what was built, as its caller knows it.
type Build struct {
	Platform   string    `json:"platform"`
	Title      string    `json:"title,omitempty"`
	Board      string    `json:"board,omitempty"`
	Part       string    `json:"part,omitempty"`
	Target     string    `json:"target"` // "hw" or "hw_emu"
	Time       time.Time `json:"time"`   // when it ended
	Generation string    `json:"generation,omitempty"`
	Design     string    `json:"design,omitempty"`     // hash
	Firmware   string    `json:"firmware,omitempty"`   // hash
	Wanted     float64   `json:"wanted_mhz,omitempty"` // kernel clock; 0 if not known
	SLRs       int       `json:"slrs,omitempty"`       // of the board; 0 if not known
	// Shell says that the kernels are part of somebody else's shell: there is no
	// xclbin, and no utilisation of each.
	Shell   bool       `json:"shell,omitempty"`
	Kernels []Instance `json:"instances,omitempty"`
	Tools   []Tool     `json:"tools,omitempty"`
	Steps   []StepTime `json:"steps,omitempty"`
}

// Instance is a kernel on the card.
type Instance struct {
	Name   string `json:"name"`   // "ccl_offload_0"
	Kernel string `json:"kernel"` // "ccl_offload"
	SLR    int    `json:"slr"`    // -1 if it has no place
}

// Tool is a program that took part.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// StepTime is how long a step took.
type StepTime struct {
	ID     string        `json:"id"`
	Title  string        `json:"title"`
	Kind   string        `json:"kind"`
	Took   time.Duration `json:"took_ns"` // of the run that made the result
	Cached bool          `json:"cached"`  // its result was there already
}

// Report is the outcome of a build. Values that no report file has are nil or empty;
// Missing lists them.
type Report struct {
	Schema int `json:"schema"`
	Build
	Timing *Timing     `json:"timing,omitempty"`
	Usage  Usage       `json:"usage"`
	Power  *Power      `json:"power,omitempty"`
	HLS    []Synthesis `json:"hls,omitempty"`
	Link   *Link       `json:"link,omitempty"`
	Scaled []Scaling   `json:"scaled,omitempty"` // clocks that the linker has slowed down
	Logs   []LogTotals `json:"logs,omitempty"`
	// Missing says in words what was not found or could not be read.
	Missing []string `json:"missing,omitempty"`
}

// Timing is the result of report_timing_summary (UG906, "Report Timing Summary").
type Timing struct {
	File  string `json:"file"`
	Setup *Slack `json:"setup,omitempty"` // WNS, TNS
	Hold  *Slack `json:"hold,omitempty"`  // WHS, THS
	Pulse *Slack `json:"pulse,omitempty"` // WPWS, TPWS
	// Verdict is the report's own: "met", "missed", or empty if it has none.
	Verdict string       `json:"verdict,omitempty"`
	Clocks  []ClockSlack `json:"clocks,omitempty"`
	Paths   []PathSlack  `json:"paths,omitempty"` // between clocks, and of other path groups
}

// Slack is the worst slack of one kind of check, and the sum of all violations.
type Slack struct {
	Worst     float64 `json:"worst_ns"`
	Total     float64 `json:"total_ns"`
	Failing   int     `json:"failing"`
	Endpoints int     `json:"endpoints"`
}

// ClockSlack is a clock with its slacks.
type ClockSlack struct {
	Name   string  `json:"name"`
	Period float64 `json:"period_ns,omitempty"`
	MHz    float64 `json:"mhz,omitempty"`
	Setup  *Slack  `json:"setup,omitempty"`
	Hold   *Slack  `json:"hold,omitempty"`
	Pulse  *Slack  `json:"pulse,omitempty"`
}

// Worst is the most telling slack of the clock, with its check: the smallest violated
// one, or else the first known of setup, hold, pulse width, as the slack of the last two
// is always small. ok is false if none is known.
func (c *ClockSlack) Worst() (ns float64, of string, ok bool) { return worst(c.Setup, c.Hold, c.Pulse) }

// PathSlack is a group of paths between clocks.
type PathSlack struct {
	Group string `json:"group,omitempty"`
	From  string `json:"from"`
	To    string `json:"to"`
	Setup *Slack `json:"setup,omitempty"`
	Hold  *Slack `json:"hold,omitempty"`
}

func worst(setup, hold, pulse *Slack) (ns float64, of string, ok bool) {
	for _, c := range checks(setup, hold, pulse) {
		if c.slack != nil && (!ok || c.slack.missed() && c.slack.Worst < ns) {
			ns, of, ok = c.slack.Worst, c.name, true
		}
	}
	return ns, of, ok
}

func (s *Slack) missed() bool { return s.Worst < 0 || s.Failing > 0 }

type slackOf struct {
	name  string
	slack *Slack
}

func checks(setup, hold, pulse *Slack) []slackOf {
	return []slackOf{{"setup", setup}, {"hold", hold}, {"pulse width", pulse}}
}

// The resources that reports are about, in the order in which they are shown.
const (
	LUT    = "LUT"
	LUTRAM = "LUTRAM"
	FF     = "FF"
	BRAM   = "BRAM" // tiles of 36 Kb
	URAM   = "URAM"
	DSP    = "DSP"
)

// Resources are all of them.
var Resources = []string{LUT, LUTRAM, FF, BRAM, URAM, DSP}

// Usage is the utilization of the card.
type Usage struct {
	Stage    string   `json:"stage,omitempty"` // "routed", "placed" or "synthed": the latest that was reported
	Files    []string `json:"files,omitempty"`
	Card     *Area    `json:"card,omitempty"`     // of the whole device
	Platform *Area    `json:"platform,omitempty"` // of the shell; percent of the device
	Budget   *Area    `json:"budget,omitempty"`   // what the shell leaves to kernels
	Used     *Area    `json:"used,omitempty"`     // by all kernels and what joins them; percent of the budget
	SLRs     []Area   `json:"slrs,omitempty"`     // percent of the SLR
	Kernels  []Area   `json:"kernels,omitempty"`  // instances; percent of the budget
}

// Area is something that uses resources.
type Area struct {
	Name   string            `json:"name"`
	Kernel string            `json:"kernel,omitempty"` // of an instance
	Use    map[string]Amount `json:"use"`              // by resource
}

// Amount is how much of a resource is used.
type Amount struct {
	Used      float64 `json:"used"`
	Available float64 `json:"available,omitempty"` // 0 if not known
	Percent   float64 `json:"percent"`
}

// Power is the estimate of report_power, in watts.
type Power struct {
	File       string  `json:"file"`
	Total      float64 `json:"total_w"`
	Dynamic    float64 `json:"dynamic_w,omitempty"`
	Static     float64 `json:"static_w,omitempty"`
	HBM        float64 `json:"hbm_w,omitempty"` // part of the total
	Junction   float64 `json:"junction_c,omitempty"`
	Confidence string  `json:"confidence,omitempty"`
	TooHot     bool    `json:"too_hot,omitempty"` // the report says that the junction temperature is exceeded
	Parts      []Watts `json:"parts,omitempty"`   // by kind of resource
	Kernels    []Watts `json:"kernels,omitempty"` // by instance, dynamic
}

// Watts is the power of something.
type Watts struct {
	Name  string  `json:"name"`
	Watts float64 `json:"w"`
}

// Synthesis is the estimate of Vitis HLS for a kernel.
type Synthesis struct {
	File      string            `json:"file"`
	Kernel    string            `json:"kernel"`
	Target    float64           `json:"target_ns,omitempty"`
	Estimated float64           `json:"estimated_ns,omitempty"`
	Latency   [2]string         `json:"latency"`  // cycles, least and most; "?" if it depends on data
	Interval  [2]string         `json:"interval"` // cycles between starts
	Pipeline  string            `json:"pipeline,omitempty"`
	Use       map[string]Amount `json:"use,omitempty"`
}

// Link is the content of the linked file.
type Link struct {
	File      string         `json:"file"`
	UUID      string         `json:"uuid,omitempty"`
	Platform  string         `json:"platform,omitempty"`
	Generated string         `json:"generated,omitempty"` // "v++ (2023.2) on …"
	Clocks    []ClockMHz     `json:"clocks,omitempty"`
	Kernels   []LinkedKernel `json:"kernels,omitempty"`
	Banks     []Bank         `json:"banks,omitempty"`
}

// ClockMHz is a clock that the run time can set.
type ClockMHz struct {
	Name      string  `json:"name"`
	Type      string  `json:"type,omitempty"`
	Default   float64 `json:"default_mhz,omitempty"`
	Requested float64 `json:"requested_mhz,omitempty"`
	Achieved  float64 `json:"achieved_mhz,omitempty"`
}

// LinkedKernel is an instance of a kernel with the memory that it reaches.
type LinkedKernel struct {
	Kernel string   `json:"kernel"`
	Name   string   `json:"name"`
	Base   string   `json:"base,omitempty"`
	Banks  []string `json:"banks,omitempty"`
}

// Bank is a memory bank.
type Bank struct {
	Name string `json:"name"`
	Type string `json:"type,omitempty"`
	Used bool   `json:"used"`
}

// Scaling is a clock that the linker made slower because timing was missed.
type Scaling struct {
	Clock  string  `json:"clock"`
	Wanted float64 `json:"wanted_mhz"`
	Got    float64 `json:"got_mhz"`
}

// LogTotals counts the messages of a log.
type LogTotals struct {
	File     string `json:"file"`
	Errors   int    `json:"errors"`
	Critical int    `json:"critical_warnings"`
	Warnings int    `json:"warnings"`
}
