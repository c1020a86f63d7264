package platform

import "github.com/hashicorp/hcl/v2"

// The blocks of a platform file, as they are decoded.

type platformFile struct {
	Platforms []platformBlock `hcl:"platform,block"`
}

type platformBlock struct {
	Name            string             `hcl:"name,label"`
	NameRange       hcl.Range          `hcl:"name,label_range"`
	Doc             string             `hcl:"doc,optional"`
	Board           string             `hcl:"board"`
	BoardRange      hcl.Range          `hcl:"board,attr_value_range"`
	ABI             *string            `hcl:"abi,optional"`
	ABIRange        hcl.Range          `hcl:"abi,attr_value_range"`
	Clock           *int               `hcl:"clock,optional"`
	ClockRange      hcl.Range          `hcl:"clock,attr_value_range"`
	HostMemory      bool               `hcl:"host_memory,optional"`
	HostMemoryRange hcl.Range          `hcl:"host_memory,attr_value_range"`
	HWEmu           bool               `hcl:"hw_emu,optional"`
	HWEmuRange      hcl.Range          `hcl:"hw_emu,attr_value_range"`
	Use             map[string]string  `hcl:"use,optional"`
	UseRange        hcl.Range          `hcl:"use,attr_value_range"`
	Source          map[string]string  `hcl:"source,optional"`
	SourceRange     hcl.Range          `hcl:"source,attr_value_range"`
	CCLO            *ccloBlock         `hcl:"cclo,block"`
	POEs            []poeBlock         `hcl:"poe,block"`
	Arithmetic      []arithmeticBlock  `hcl:"arithmetic,block"`
	Compression     []compressionBlock `hcl:"compression,block"`
	Types           []typeBlock        `hcl:"type,block"`
	Tuning          *tuningBlock       `hcl:"tuning,block"`
	Capacity        *capacityBlock     `hcl:"capacity,block"`
	Limits          *limitsBlock       `hcl:"limits,block"`
	Build           []buildBlock       `hcl:"build,block"`
	Shells          []shellBlock       `hcl:"shell,block"`
	Outputs         []outputBlock      `hcl:"output,block"`
	Range           hcl.Range          `hcl:",def_range"`
	Body            hcl.Body           `hcl:",body"`
}

type ccloBlock struct {
	Count             *int            `hcl:"count,optional"`
	CountRange        hcl.Range       `hcl:"count,attr_value_range"`
	DMA               *string         `hcl:"dma,optional"`
	DMARange          hcl.Range       `hcl:"dma,attr_value_range"`
	DMAEngines        *int            `hcl:"dma_engines,optional"`
	DMAEnginesRange   hcl.Range       `hcl:"dma_engines,attr_value_range"`
	KernelStream      *string         `hcl:"kernel_stream,optional"`
	KernelStreamRange hcl.Range       `hcl:"kernel_stream,attr_value_range"`
	Processor         *string         `hcl:"processor,optional"`
	ProcessorRange    hcl.Range       `hcl:"processor,attr_value_range"`
	Trace             *int            `hcl:"trace,optional"`
	TraceRange        hcl.Range       `hcl:"trace,attr_value_range"`
	Activity          *bool           `hcl:"activity,optional"`
	RxBuffers         *rxBuffersBlock `hcl:"rx_buffers,block"`
	Range             hcl.Range       `hcl:",def_range"`
}

type rxBuffersBlock struct {
	Count      *int      `hcl:"count,optional"`
	CountRange hcl.Range `hcl:"count,attr_value_range"`
	Size       *int      `hcl:"size,optional"`
	SizeRange  hcl.Range `hcl:"size,attr_value_range"`
	Range      hcl.Range `hcl:",def_range"`
}

type poeBlock struct {
	Kind      string    `hcl:"kind,label"`
	KindRange hcl.Range `hcl:"kind,label_range"`
	Port      int       `hcl:"port,optional"`
	PortRange hcl.Range `hcl:"port,attr_value_range"`
	Range     hcl.Range `hcl:",def_range"`
}

type arithmeticBlock struct {
	Kernel      string          `hcl:"kernel,label"`
	KernelRange hcl.Range       `hcl:"kernel,label_range"`
	Listed      *[]string       `hcl:"functions,optional"`
	ListedRange hcl.Range       `hcl:"functions,attr_value_range"`
	Functions   []functionBlock `hcl:"function,block"`
	Range       hcl.Range       `hcl:",def_range"`
}

type functionBlock struct {
	Name      string         `hcl:"name,label"`
	NameRange hcl.Range      `hcl:"name,label_range"`
	TDEST     map[string]int `hcl:"tdest"`
	TDESTExpr hcl.Range      `hcl:"tdest,attr_value_range"`
	CPP       *string        `hcl:"cpp,optional"`
	CPPRange  hcl.Range      `hcl:"cpp,attr_value_range"`
	Optional  bool           `hcl:"optional,optional"`
	Range     hcl.Range      `hcl:",def_range"`
	Body      hcl.Body       `hcl:",body"`
}

type compressionBlock struct {
	Kernel      string            `hcl:"kernel,label"`
	KernelRange hcl.Range         `hcl:"kernel,label_range"`
	Lanes       *int              `hcl:"lanes,optional"`
	LanesRange  hcl.Range         `hcl:"lanes,attr_value_range"`
	Conversions []conversionBlock `hcl:"conversion,block"`
	Range       hcl.Range         `hcl:",def_range"`
}

type conversionBlock struct {
	From      string    `hcl:"from,label"`
	FromRange hcl.Range `hcl:"from,label_range"`
	To        string    `hcl:"to,label"`
	ToRange   hcl.Range `hcl:"to,label_range"`
	TDEST     int       `hcl:"tdest"`
	TDESTExpr hcl.Range `hcl:"tdest,attr_value_range"`
	OneWay    bool      `hcl:"one_way,optional"`
	RatioLog  int       `hcl:"ratio_log,optional"`
	CPP       *string   `hcl:"cpp,optional"`
	CPPRange  hcl.Range `hcl:"cpp,attr_value_range"`
	Range     hcl.Range `hcl:",def_range"`
}

type outputBlock struct {
	Name          string    `hcl:"name,label"`
	NameRange     hcl.Range `hcl:"name,label_range"`
	Template      string    `hcl:"template"`
	TemplateRange hcl.Range `hcl:"template,attr_value_range"`
	Path          string    `hcl:"path"`
	PathRange     hcl.Range `hcl:"path,attr_value_range"`
	Range         hcl.Range `hcl:",def_range"`
}

type typeBlock struct {
	Name      string    `hcl:"name,label"`
	NameRange hcl.Range `hcl:"name,label_range"`
	Doc       string    `hcl:"doc,optional"`
	Bytes     int       `hcl:"bytes"`
	Align     *int      `hcl:"align,optional"`
	Range     hcl.Range `hcl:",def_range"`
}

type tuningBlock struct {
	Body hcl.Body `hcl:",remain"`
}

type capacityBlock struct {
	Ranks              *int      `hcl:"ranks,optional"`
	RanksRange         hcl.Range `hcl:"ranks,attr_value_range"`
	Communicators      *int      `hcl:"communicators,optional"`
	CommunicatorsRange hcl.Range `hcl:"communicators,attr_value_range"`
	Range              hcl.Range `hcl:",def_range"`
}

type limitsBlock struct {
	MaxEager           *int      `hcl:"max_eager_bytes,optional"`
	MaxEagerRange      hcl.Range `hcl:"max_eager_bytes,attr_value_range"`
	MaxRendezvous      *int      `hcl:"max_rendezvous_bytes,optional"`
	MaxRendezvousRange hcl.Range `hcl:"max_rendezvous_bytes,attr_value_range"`
	TimeoutCycles      *int      `hcl:"timeout_cycles,optional"`
	TimeoutCyclesRange hcl.Range `hcl:"timeout_cycles,attr_value_range"`
	RemoteTimeout      *int      `hcl:"remote_timeout_ms,optional"`
	RemoteTimeoutRange hcl.Range `hcl:"remote_timeout_ms,attr_value_range"`
	Range              hcl.Range `hcl:",def_range"`
}
