package rtlsim

// Account is what the cycles of a call went by with, at the ports of the engine:
// from the first word of the call that it takes until its answer is taken. Of the
// first eight, each cycle counts as the first one that fits.
type Account struct {
	Engine int    `json:"-"` // on the card
	Began  uint64 `json:"-"` // on the clock of the cards (Options.Clock)
	Ended  uint64 `json:"-"`

	Data     uint32 `json:"data"`     // a beat moves to or from memory or network
	Memory   uint32 `json:"memory"`   // slices or received packets are under way without a beat
	Remote   uint32 `json:"remote"`   // moves wait for messages, or for memory of a remote rank
	Slot     uint32 `json:"slot"`     // moves wait for room for a packet
	Moves    uint32 `json:"moves"`    // moves are checked or cut
	Packets  uint32 `json:"packets"`  // packets are under way between the engine and the network
	Firmware uint32 `json:"firmware"` // the processor works
	Asleep   uint32 `json:"asleep"`   // the processor waits

	Awake  uint32    `json:"processor_awake"` // the processor works, whatever else happens
	Beats  [6]uint32 `json:"beats"`           // operand 0, operand 1, result, inbound, transmit, receive
	Issued uint32    `json:"moves_issued"`
	Slices uint32    `json:"slices"`
}

// Cycles are those of the call.
func (a *Account) Cycles() uint64 { return a.Ended - a.Began }

// accountWords are the counters of an account, as the hardware has them.
const accountWords = 17

func (a *Account) fill(ended uint64, counts *[accountWords]uint32) {
	cycles := uint64(0)
	for i, to := range []*uint32{
		&a.Data, &a.Memory, &a.Remote, &a.Slot, &a.Moves, &a.Packets, &a.Firmware, &a.Asleep,
		&a.Awake, &a.Beats[0], &a.Beats[1], &a.Beats[2], &a.Beats[3], &a.Beats[4], &a.Beats[5], &a.Issued, &a.Slices,
	} {
		*to = counts[i]
		if i < 8 {
			cycles += uint64(counts[i])
		}
	}
	a.Began, a.Ended = ended-min(cycles, ended), ended
}

// accounted passes on the accounts of calls that have been answered.
func (e *Engine) accounted() {
	if e.o.OnCall == nil || e.f.Account == nil {
		return
	}
	var ended uint64
	var counts [accountWords]uint32
	for e.f.Account(e.model, e.number, &ended, &counts) != 0 {
		a := Account{Engine: int(e.number)}
		// The clock says when the model's last cycle was.
		a.fill(e.card.turn.ended()-(e.card.cycle-ended), &counts)
		e.o.OnCall(a)
	}
}
