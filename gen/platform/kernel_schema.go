package platform

import "github.com/hashicorp/hcl/v2"

// The blocks of a kernel file, as they are decoded.

type kernelFile struct {
	Kernels []kernelBlock `hcl:"kernel,block"`
}

type kernelBlock struct {
	ID           string    `hcl:"id,label"` // the label
	IDRange      hcl.Range `hcl:"id,label_range"`
	Name         *string   `hcl:"name,optional"`
	Doc          string    `hcl:"doc,optional"`
	Like         *string   `hcl:"like,optional"`
	LikeRange    hcl.Range `hcl:"like,attr_value_range"`
	Abstract     bool      `hcl:"abstract,optional"`
	Role         string    `hcl:"role,optional"` // what it is for: "engine", "dma", "arithmetic", ...
	Each         *string   `hcl:"each,optional"`
	EachRange    hcl.Range `hcl:"each,attr_value_range"`
	Source       string    `hcl:"source,optional"` // "rtl", "hls" or "xo", unless the platform chooses another form
	SourceRange  hcl.Range `hcl:"source,attr_value_range"`
	Control      string    `hcl:"control,optional"` // layout.Handshake, Chain, FreeRunning or UserManaged
	ControlRange hcl.Range `hcl:"control,attr_value_range"`
	Origin       string    `hcl:"origin,optional"` // where an external .xo comes from
	Needs        []string  `hcl:"needs,optional"`  // folders of RTL that it is made of, beside its own
	Place        string    `hcl:"place,optional"`  // a name of the board's slr block
	PlaceRange   hcl.Range `hcl:"place,attr_value_range"`
	Default      bool      `hcl:"default,optional"` // preferred among kernels of its role
	Calls        *bool     `hcl:"calls,optional"`
	// Registers names a register map of the interface generation whose registers are
	// further arguments.
	Registers      string    `hcl:"registers,optional"`
	RegistersRange hcl.Range `hcl:"registers,attr_value_range"`
	// Pointers names the arguments that are addresses, and the memory port that each is
	// for.
	Pointers      map[string]string `hcl:"pointers,optional"`
	PointersRange hcl.Range         `hcl:"pointers,attr_value_range"`
	Nets          map[string]int    `hcl:"nets,optional"` // below the top of its RTL, for a logic analyzer; their bits
	NetsRange     hcl.Range         `hcl:"nets,attr_value_range"`
	When          hcl.Expression    `hcl:"when,optional"`
	Instance      hcl.Expression    `hcl:"instance,optional"`
	Ports         []portBlock       `hcl:"port,block"`
	Arguments     []argumentBlock   `hcl:"argument,block"`
	Described     []registerBlock   `hcl:"register,block"`
	Facts         []factBlock       `hcl:"fact,block"`
	Functions     []functionBlock   `hcl:"function,block"`
	Conversions   []conversionBlock `hcl:"conversion,block"`
	HLS           []hlsBlock        `hcl:"hls,block"`
	XO            []xoBlock         `hcl:"xo,block"`
	Shells        []shellBlock      `hcl:"shell,block"`
	Range         hcl.Range         `hcl:",def_range"`
	Body          hcl.Body          `hcl:",body"`
}

type hlsBlock struct {
	Files      []string  `hcl:"files"`
	FilesRange hcl.Range `hcl:"files,attr_value_range"`
	Calls      *string   `hcl:"calls,optional"`
	CallsRange hcl.Range `hcl:"calls,attr_value_range"`
	Top        *string   `hcl:"top,optional"`
	TopRange   hcl.Range `hcl:"top,attr_value_range"`
	Range      hcl.Range `hcl:",def_range"`
	Body       hcl.Body  `hcl:",body"`
}

type portBlock struct {
	Label        string     `hcl:"label,label"`
	Doc          string     `hcl:"doc,optional"`
	AXIS         *string    `hcl:"axis,optional"`
	AXISRange    hcl.Range  `hcl:"axis,attr_value_range"`
	AXI          *string    `hcl:"axi,optional"`
	AXIRange     hcl.Range  `hcl:"axi,attr_value_range"`
	AXILite      *string    `hcl:"axilite,optional"`
	AXILiteRange hcl.Range  `hcl:"axilite,attr_value_range"`
	Resizes      bool       `hcl:"resizes,optional"` // the linker fits other widths to this port
	ClosedBy     []ClosedBy `hcl:"closed_by,block"`
	Bursts       *Bursts    `hcl:"bursts,block"` // of a master of AXI4; nil if it does not say
	Range        hcl.Range  `hcl:",def_range"`

	Name         hcl.Expression `hcl:"name,optional"`
	Repeat       hcl.Expression `hcl:"repeat,optional"`
	When         hcl.Expression `hcl:"when,optional"`
	Width        hcl.Expression `hcl:"width,optional"`
	TDEST        hcl.Expression `hcl:"tdest,optional"`
	Joins        hcl.Expression `hcl:"joins,optional"`
	Depth        hcl.Expression `hcl:"depth,optional"`
	Memory       hcl.Expression `hcl:"memory,optional"`
	AddressRange hcl.Expression `hcl:"range,optional"`
	Required     hcl.Expression `hcl:"required,optional"`
}

type argumentBlock struct {
	Name    string    `hcl:"name,label"`
	Doc     string    `hcl:"doc,optional"`
	At      *uint32   `hcl:"at,optional"`
	Width   *int      `hcl:"width,optional"`
	Type    *string   `hcl:"type,optional"`
	Port    *string   `hcl:"port,optional"`
	Enum    string    `hcl:"enum,optional"`
	Range   hcl.Range `hcl:",def_range"`
	AtRange hcl.Range `hcl:"at,attr_value_range"`
}

type registerBlock struct {
	Name    string        `hcl:"name,label"`
	Doc     string        `hcl:"doc,optional"`
	At      uint32        `hcl:"at"`
	Width   *int          `hcl:"width,optional"`
	Count   *int          `hcl:"count,optional"`
	Stride  *uint32       `hcl:"stride,optional"`
	Memory  string        `hcl:"memory,optional"`
	Bits    []RegisterBit `hcl:"bit,block"`
	Range   hcl.Range     `hcl:",def_range"`
	AtRange hcl.Range     `hcl:"at,attr_value_range"`
}

type factBlock struct {
	Name       string    `hcl:"name,label"`
	Doc        string    `hcl:"doc,optional"`
	Value      int64     `hcl:"value"`
	ValueRange hcl.Range `hcl:"value,attr_value_range"`
	Range      hcl.Range `hcl:",def_range"`
}
