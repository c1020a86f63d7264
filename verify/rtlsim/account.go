package rtlsim

// Account is what the cycles of a call went by with, at the ports of the engine:
// from the first word of the call that it takes until its answer is taken. Of the
// first eight, each cycle counts as the first one that fits.
type Account struct {
	Engine int    // on the card
	Began  uint64 // on the clock of the cards (Options.Clock)
	Ended  uint64

	Data     uint32 // a beat moves to or from memory or network
	Memory   uint32 // slices or received packets are under way without a beat
	Remote   uint32 // moves wait for messages, or for memory of a remote rank
	Slot     uint32 // moves wait for room for a packet
	Moves    uint32 // moves are checked or cut
	Packets  uint32 // packets are under way between the engine and the network
	Firmware uint32 // the processor works
	Asleep   uint32 // the processor waits

	Awake    uint32 // the processor works, whatever else happens
	Operand0 uint32 // beats
	Operand1 uint32
	Result   uint32
	Inbound  uint32
	Transmit uint32
	Receive  uint32
	Issued   uint32 // moves
	Slices   uint32
}

// Cycles are those of the call.
func (a *Account) Cycles() uint64 { return a.Ended - a.Began }

// accountWords are the counters of an account, as the hardware has them.
const accountWords = 17

func (a *Account) fill(ended uint64, counts *[accountWords]uint32) {
	cycles := uint64(0)
	for i, to := range []*uint32{
		&a.Data, &a.Memory, &a.Remote, &a.Slot, &a.Moves, &a.Packets, &a.Firmware, &a.Asleep,
		&a.Awake, &a.Operand0, &a.Operand1, &a.Result, &a.Inbound, &a.Transmit, &a.Receive, &a.Issued, &a.Slices,
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
