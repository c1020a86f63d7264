package bench

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/cclforge/cclforge/verify/rtlsim"
)

// hardwarePoint is a row as it was measured: from the first word of the first call that an
// engine takes, or of the send, until the last answer is taken.
type hardwarePoint struct {
	Operation string    `json:"operation"`
	Protocol  string    `json:"protocol,omitempty"`
	Type      string    `json:"type,omitempty"`
	Ranks     int       `json:"ranks"`
	Bytes     int       `json:"bytes"`
	Latency   uint32    `json:"memory_latency_cycles"`
	Cycles    uint64    `json:"cycles"`
	First     uint64    `json:"first_cycles"`  // of the first call that said this; Cycles are those of the fourth
	Second    uint64    `json:"second_cycles"` // of the one that is recorded
	Bound     float64   `json:"bound_cycles,omitempty"`
	Engine    float64   `json:"engine_beats,omitempty"` // through one port or path of an engine, if that is what binds
	Aim       float64   `json:"aim_cycles,omitempty"`   // at most
	FirstAim  float64   `json:"first_aim_cycles,omitempty"`
	Accounts  []Account `json:"accounts"`
}

// BytesACycle is the rate of the largest buffer.
func (p *hardwarePoint) BytesACycle() float64 { return float64(p.Bytes) / float64(max(p.Cycles, 1)) }

// met tells whether cycles reach an aim: "" if there is none.
func met(cycles uint64, aim float64) string {
	switch {
	case aim == 0:
		return ""
	case float64(cycles) <= aim:
		return "yes"
	}
	return "no"
}

// Account is how the cycles of a rank's call were spent.
type Account struct {
	Rank   int    `json:"rank"`
	Cycles uint64 `json:"cycles"`
	rtlsim.Account
}

// what names a point's row.
func (p *hardwarePoint) what() string {
	s := p.Operation
	if p.Protocol != "" {
		s += ", " + p.Protocol
	}
	if p.Type != "" && p.Type != "float32" {
		s += ", " + p.Type
	}
	return s
}

// printPoints writes what was measured next to what bounds it.
func (r *hardwareReport) printPoints(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t,
		"what\tranks\tbytes\tlatency\tfirst\taim\tmet\tsecond\tcycles\tbound\tratio\tengine\taim\tmet\tbytes a cycle\t")
	for i := range r.Points {
		p := &r.Points[i]
		bound, ratio := "", ""
		if p.Bound > 0 {
			bound, ratio = fmt.Sprintf("%.0f", p.Bound), fmt.Sprintf("%.3f", float64(p.Cycles)/p.Bound)
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%s\t%s\t%d\t%d\t%s\t%s\t%s\t%s\t%s\t%.2f\t\n",
			p.what(), p.Ranks, p.Bytes, p.Latency, p.First, rounded(p.FirstAim), met(p.First, p.FirstAim), p.Second,
			p.Cycles, bound, ratio, rounded(p.Engine), rounded(p.Aim), met(p.Cycles, p.Aim), p.BytesACycle())
	}
	return t.Flush()
}

// rounded is a number of cycles or beats without a fraction, "" for none.
func rounded(v float64) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", v)
}

// printAccounts writes what the cycles went by with. Of a collective it is that of
// the root, or rank 0, and of the rank that was done last.
func (r *hardwareReport) printAccounts(w io.Writer) error {
	fmt.Fprint(w,
		"\nWhat the cycles of a rank's call went by with, the first that fits: a beat moved; memory, a remote rank, or a "+
			"slot for\n"+
			"a packet was waited for; moves were checked and cut; packets were under way; firmware worked; the processor "+
			"waited.\n\n")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t,
		"what\tranks\tbytes\trank\tcycles\tdata\tmemory\tremote\tslot\tmoves\tpackets\tfirmware\tasleep\t|\tawake\tissued\tslices\tread\twritten\tinbound\tsent\treceived\t")
	for i := range r.Points {
		p := &r.Points[i]
		last := 0
		for k := range p.Accounts {
			if p.Accounts[k].Ended > p.Accounts[last].Ended {
				last = k
			}
		}
		for k := range p.Accounts {
			if a := &p.Accounts[k]; k == 0 || k == last || len(p.Accounts) == 2 {
				fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t|\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n",
					p.what(), p.Ranks, p.Bytes, a.Rank, a.Cycles,
					a.Data, a.Memory, a.Remote, a.Slot, a.Moves, a.Packets, a.Firmware, a.Asleep, a.Awake, a.Issued, a.Slices,
					a.Beats[0]+a.Beats[1], a.Beats[2], a.Beats[3], a.Beats[4], a.Beats[5])
			}
		}
	}
	return t.Flush()
}
