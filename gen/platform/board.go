package platform

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"github.com/cclforge/cclforge/gen/lang"
)

// Board is a card: its regions (SLRs), its memories and its Ethernet ports.
// Where things go is written as expressions over the engine or network engine
// that is placed.
type Board struct {
	boardBlock
	Memories []BoardMemory

	places  map[string]hcl.Expression
	context map[string]cty.Value
	files   []string // that describe a board of this name
}

// BoardMemory is a memory of a board and the banks of it that each user gets.
type BoardMemory struct {
	Name  string // as the linker knows it: "HBM", "DDR", "HOST"
	Banks int
	// BankMiB is the size of a bank; 0 if nobody has said.
	BankMiB int
	Range   hcl.Range

	users map[string]hcl.Expression
}

// Banks are the banks First..Last of a board memory.
type Banks struct {
	Memory      *BoardMemory
	First, Last int
	Range       hcl.Range
}

type boardFile struct {
	Boards []boardBlock `hcl:"board,block"`
}

type boardBlock struct {
	Name      string    `hcl:"name,label"`
	NameRange hcl.Range `hcl:"name,label_range"`
	Doc       string    `hcl:"doc,optional"`
	Part      string    `hcl:"part"`     // FPGA part
	Shell     string    `hcl:"platform"` // Vitis platform
	SLRs      int       `hcl:"slrs"`
	SLRsRange hcl.Range `hcl:"slrs,attr_value_range"`
	Ports     int       `hcl:"ports"` // Ethernet ports
	// KnownAs is what the authors of kernels call the board, by the label of the kernel
	// that they build: those who have tried it.
	KnownAs    map[string]string `hcl:"known_as,optional"`
	KnownRange hcl.Range         `hcl:"known_as,attr_range"`
	// Avoid says by version of Vitis why the board's platform does not go with it.
	Avoid      map[string]string `hcl:"avoid,optional"`
	PlaceBlock *openBlock        `hcl:"slr,block"`
	Memories   []memoryBlock     `hcl:"memory,block"`
	Range      hcl.Range         `hcl:",def_range"`
}

// openBlock has attributes of the user's choosing.
type openBlock struct {
	Body hcl.Body `hcl:",remain"`
}

type memoryBlock struct {
	Name      string    `hcl:"name,label"`
	Banks     int       `hcl:"banks"`
	Size      *string   `hcl:"size,optional"`
	SizeRange hcl.Range `hcl:"size,attr_value_range"`
	Body      hcl.Body  `hcl:",remain"`
	Range     hcl.Range `hcl:",def_range"`
}

const (
	maxSLRs  = 16
	maxBanks = 4096
)

func loadBoards(files []*lang.File, parser *lang.Parser) (map[string]*Board, hcl.Diagnostics) {
	boards := map[string]*Board{}
	var diags hcl.Diagnostics
	for _, file := range files {
		scope, d := constant(file, parser)
		diags = append(diags, d...)
		var content boardFile
		diags = append(diags, lang.Decode(scope.Body, scope.Context, &content)...)
		for _, block := range content.Boards {
			board, d := block.board(scope)
			diags = append(diags, d...)
			if prev, dup := boards[board.Name]; dup {
				diags = append(diags, duplicate(block.NameRange, "board", board.Name, prev.Range))
				prev.files = append(prev.files, board.files...)
				continue
			}
			boards[board.Name] = board
		}
	}
	return boards, diags
}

func (b boardBlock) board(scope *lang.Scope) (*Board, hcl.Diagnostics) {
	var diags hcl.Diagnostics
	board := &Board{boardBlock: b, places: map[string]hcl.Expression{}, context: scope.Context.Variables,
		files: []string{b.Range.Filename}}
	board.KnownRange = orElse(b.KnownRange, b.Range)
	if !lang.Identifier(b.Name) {
		diags = append(diags, notIdentifier(b.NameRange, "board", b.Name))
	}
	if b.SLRs < 1 || b.SLRs > maxSLRs {
		diags = append(diags, lang.Errorf(orElse(b.SLRsRange, b.Range), "Value out of range",
			"A board has 1 to %d SLRs, not %d.", maxSLRs, b.SLRs))
	}
	if b.PlaceBlock != nil {
		attrs, d := b.PlaceBlock.Body.JustAttributes()
		diags = append(diags, d...)
		for name, attr := range attrs {
			board.places[name] = attr.Expr
		}
	}
	for _, m := range b.Memories {
		memory := BoardMemory{Name: m.Name, Banks: m.Banks, Range: m.Range, users: map[string]hcl.Expression{}}
		if m.Banks < 1 || m.Banks > maxBanks {
			diags = append(diags, lang.Errorf(m.Range, "Value out of range", "A memory has 1 to %d banks, not %d.",
				maxBanks, m.Banks))
		}
		if !lang.Identifier(m.Name) {
			diags = append(diags, notIdentifier(m.Range, "memory", m.Name))
		}
		if m.Size != nil {
			var err error
			if memory.BankMiB, err = ParseMemory(*m.Size); err != nil {
				diags = append(diags, lang.Errorf(m.SizeRange, "Invalid value", "size: %s.", err))
			}
		}
		attrs, d := m.Body.JustAttributes()
		diags = append(diags, d...)
		for _, name := range sortedKeys(attrs) {
			if other := board.memoryOf(name); other != nil {
				diags = append(diags, lang.Errorf(attrs[name].NameRange, "Duplicate name",
					"%q already has banks of %s, on line %d.", name, other.Name, other.Range.Start.Line))
			}
			memory.users[name] = attrs[name].Expr
		}
		board.Memories = append(board.Memories, memory)
	}
	return board, diags
}

func (b *Board) memoryOf(user string) *BoardMemory {
	for i := range b.Memories {
		if _, ok := b.Memories[i].users[user]; ok {
			return &b.Memories[i]
		}
	}
	return nil
}

// HasMemoryFor reports whether the board gives banks to a user, for example
// "cclo", "poe" or "host".
func (b *Board) HasMemoryFor(user string) bool { return b.memoryOf(user) != nil }

// MemoryUsers lists the names that boards give banks to.
func (b *Board) MemoryUsers() []string {
	users := map[string]bool{}
	for _, m := range b.Memories {
		for name := range m.users {
			users[name] = true
		}
	}
	return sortedKeys(users)
}

// Places lists the names that the board has an SLR for.
func (b *Board) Places() []string { return sortedKeys(b.places) }

// SLR evaluates where something goes: a name of the board's slr block, with
// the variables of the instance.
func (b *Board) SLR(place string, vars map[string]cty.Value, from hcl.Range) (int, hcl.Diagnostics) {
	expr, ok := b.places[place]
	if !ok {
		return 0, hcl.Diagnostics{lang.Errorf(from, "Unknown place", "Board %s has no SLR for %q. %s", b.Name, place,
			lang.Choices(place, b.Places()))}
	}
	var slr int
	diags := lang.Evaluate(expr, b.evalContext(vars), &slr)
	if !diags.HasErrors() && (slr < 0 || slr >= b.SLRs) {
		diags = append(diags, lang.Errorf(expr.Range(), "SLR not on the board",
			"%s would go to SLR%d, but board %s has SLR0 to SLR%d.", place, slr, b.Name, b.SLRs-1))
	}
	return slr, diags
}

// BanksFor evaluates which banks a user gets, with the variables of the
// instance. It does not check that the memory has them.
func (b *Board) BanksFor(user string, vars map[string]cty.Value, from hcl.Range) (Banks, hcl.Diagnostics) {
	memory := b.memoryOf(user)
	if memory == nil {
		return Banks{}, hcl.Diagnostics{lang.Errorf(from, "Memory not on the board", "Board %s has no memory for %q. %s",
			b.Name, user, lang.Choices(user, b.MemoryUsers()))}
	}
	expr := memory.users[user]
	var list []int
	diags := lang.Evaluate(expr, b.evalContext(vars), &list)
	if diags.HasErrors() {
		return Banks{}, diags
	}
	if len(list) < 1 || len(list) > 2 || list[0] > list[len(list)-1] {
		return Banks{}, append(diags, lang.Errorf(expr.Range(), "Banks expected",
			"Banks are written [bank] or [first, last]."))
	}
	return Banks{memory, list[0], list[len(list)-1], expr.Range()}, diags
}

func (b *Board) evalContext(vars map[string]cty.Value) *hcl.EvalContext {
	ctx := lang.NewContext(vars)
	for _, name := range []string{"var", "local"} {
		if v, ok := b.context[name]; ok {
			ctx.Variables[name] = v
		}
	}
	return ctx
}
