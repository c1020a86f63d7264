package abi

import "github.com/zclconf/go-cty/cty"

// kind is one sort of block of the description: what may stand in it.
type kind struct {
	block    string // block type in HCL
	what     string // as messages call it
	attrs    map[string]cty.Type
	children []*kind
	// exclusive are attributes of which a block has one: setting one in an
	// extension replaces the other of the base.
	exclusive []string
	// prefixed names are only rendered behind the name of what they stand in,
	// so that keywords are no trouble.
	prefixed bool
}

var (
	text     = cty.String
	number   = cty.Number
	flag     = cty.Bool
	wordList = cty.List(cty.String)
	docMap   = cty.Map(cty.String)
	flagMap  = cty.Map(cty.Bool)
	useMap   = docMap // of an operand: texts and flags
)

// abiKind describes an abi block and, through its children, everything in it.
var abiKind = &kind{
	block: "abi", what: "interface generation",
	attrs: map[string]cty.Type{"doc": text, "abstract": flag, "extends": wordList, "features": flagMap},
	children: []*kind{
		{block: "type", what: "type", attrs: map[string]cty.Type{"doc": text, "bytes": number}},
		{block: "constant", what: "constant", attrs: map[string]cty.Type{"doc": text, "is": number}},
		{
			block: "enum", what: "enum", attrs: map[string]cty.Type{"doc": text},
			children: []*kind{
				{block: "value", what: "value", attrs: map[string]cty.Type{"doc": text, "is": number}, prefixed: true},
			},
		},
		{
			block: "operation", what: "operation", prefixed: true,
			attrs: map[string]cty.Type{
				"doc": text, "call": text, "op0": useMap, "op1": useMap, "res": useMap, "peer": text, "reduces": flag,
				"local":  flag,
				"tagged": flag, "in_place": text, "repeats_result": flag, "result_as_op1": flag, "callers": wordList, "task": flag,
			},
		},
		{
			block: "bits", what: "bit set", attrs: map[string]cty.Type{"doc": text},
			children: []*kind{
				{block: "bit", what: "bit", attrs: map[string]cty.Type{"doc": text, "at": number, "internal": flag},
					prefixed: true},
			},
		},
		{
			block: "layout", what: "layout", attrs: map[string]cty.Type{"doc": text, "width": number},
			children: []*kind{
				{block: "field", what: "field", attrs: map[string]cty.Type{"doc": text, "bits": text}},
			},
		},
		{block: "record", what: "record", attrs: map[string]cty.Type{"doc": text, "words": wordList, "docs": docMap}},
		{
			block: "registers", what: "register map", attrs: map[string]cty.Type{"doc": text, "base": number},
			children: []*kind{
				{block: "register", what: "register", attrs: map[string]cty.Type{"doc": text, "at": number, "width": number,
					"count": number, "access": text, "extension": flag}},
			},
		},
		{
			block: "memory", what: "memory",
			attrs: map[string]cty.Type{"doc": text, "base": number, "processor_base": number, "size": number},
			children: []*kind{
				{block: "word", what: "word", attrs: map[string]cty.Type{"doc": text, "at": number, "width": number,
					"count": number, "group": text, "hardware": flag}},
				{
					block: "table", what: "table",
					attrs: map[string]cty.Type{"doc": text, "at": number, "after": text, "header": wordList, "record": wordList,
						"docs": docMap},
					exclusive: []string{"at", "after"},
				},
			},
		},
	},
}
