package engine

import (
	"fmt"
	"strings"
)

// Stats is what an engine has done since power-up, and what it holds.
type Stats struct {
	Calls        uint64 // placed
	Answers      uint64 // to these
	Instructions uint64 // of the control processor
	Moves        uint64 // issued
	PacketsOut   uint64 // handed to the network, or to the own rank
	PacketsIn    uint64 // from the network
	BytesOut     uint64 // payload of these
	BytesIn      uint64
	MessagesIn   uint64 // eager messages and puts that were accepted
	Dropped      Drops
	RxFree       int    // rx buffers that wait for a message
	RxUsed       int    // rx buffers with a message
	DeviceBytes  uint64 // of device memory that takes room on the host
	Kernels      []KernelStats
}

// KernelStats is what a kernel beside the engine has done, and what it does.
type KernelStats struct {
	Instance string `json:"instance"`
	// what it waits for, with stream and beat, or that it is idle, or why it has failed
	Doing   string        `json:"doing"`
	Streams []StreamStats `json:"streams"`
}

// StreamStats is how much a kernel has read from one of its streams, or written
// to it.
type StreamStats struct {
	Name  string `json:"name"`
	Beats uint64 `json:"beats"`
}

// Drops are packets that were dropped, by reason.
type Drops struct {
	NoBuffer, BadPacket, Stale, TooLarge, NoWindow, NoAnnouncement uint64
}

// String lists the values in one line.
func (s Stats) String() string {
	text := fmt.Sprintf(
		"%d calls, %d instructions, %d moves, out %d packets %d bytes, in %d packets %d bytes %d messages, dropped %s, rx "+
			"buffers %d free %d used, %d bytes of device memory",
		s.Calls, s.Instructions, s.Moves, s.PacketsOut, s.BytesOut, s.PacketsIn, s.BytesIn, s.MessagesIn, s.Dropped, s.RxFree,
		s.RxUsed, s.DeviceBytes)
	for _, k := range s.Kernels {
		text += ", kernel " + k.String()
	}
	return text
}

// String is "vadd_0_0 waits for beat 7 of data_from_cclo (cmd_to_cclo 15, data_from_cclo 7)".
func (k KernelStats) String() string {
	beats := make([]string, len(k.Streams))
	for i, s := range k.Streams {
		beats[i] = fmt.Sprintf("%s %d", s.Name, s.Beats)
	}
	return fmt.Sprintf("%s %s (%s)", k.Instance, k.Doing, strings.Join(beats, ", "))
}

// String lists the reasons.
func (d Drops) String() string {
	return fmt.Sprintf("no_buffer %d, bad_packet %d, stale %d, too_large %d, no_window %d, no_announcement %d",
		d.NoBuffer, d.BadPacket, d.Stale, d.TooLarge, d.NoWindow, d.NoAnnouncement)
}
