package rv32

// Retired is one executed instruction and all that it changed, for traces and
// for comparison with another processor in lock-step.
type Retired struct {
	PC     uint32 // byte address of the instruction
	Next   uint32 // byte address of the instruction after it
	Instr  uint32 // the instruction word
	Rd     int    // register that was written, 0 for none
	Value  uint32 // what Rd holds now; 0 for none
	Access Access // load or store
	Addr   uint32 // byte address of the load or store
	Size   int    // bytes loaded or stored: 0, 1, 2 or 4
	Data   uint32 // the bytes loaded or stored, zero-extended
}

// Access tells loads from stores.
type Access uint8

const (
	NoAccess    Access = iota // neither load nor store
	LoadAccess                // from RAM or Bus
	StoreAccess               // to RAM or Bus
)

// Step executes one instruction and returns what it did. Errors are those of
// Run; with all but ErrYield nothing has retired and the Retired is zero.
// Step runs the instruction as Run does, and only watches it.
func (c *CPU) Step() (Retired, error) {
	r := Retired{PC: c.pc}
	var in inst
	if c.pc%wordBytes == 0 && uint64(c.pc) < uint64(len(c.ram)) {
		r.Instr = c.word(c.pc)
		in = decode(r.Instr).at(c.pc)
	}
	if in.op.isLoad() || in.op.isStore() {
		r.Addr, r.Size = c.x[in.rs1]+in.imm, in.op.size()
	}
	if in.op.isStore() {
		r.Access, r.Data = StoreAccess, c.x[in.rs2]&valueMask(r.Size)
	}

	n, err := c.Run(1)
	if n == 0 {
		return Retired{}, err
	}
	r.Next = c.pc
	if in.op.isLoad() {
		r.Access, r.Data = LoadAccess, c.x[in.rd]&valueMask(r.Size)
	}
	if in.rd != discard {
		r.Rd, r.Value = int(in.rd), c.x[in.rd]
	}
	return r, err
}
