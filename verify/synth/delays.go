package synth

import (
	_ "embed"
	"math"

	"github.com/hashicorp/hcl/v2/hclsimple"
)

//go:embed delays.hcl
var delaysText []byte

// delays are those of the device, in ps; delays.hcl says where they are from.
var delays = func() (d delayTable) {
	if err := hclsimple.Decode("delays.hcl", delaysText, nil, &d); err != nil {
		panic(err) // a test reads it, too
	}
	return d
}()

type delayTable struct {
	FF struct {
		ClockToQ int `hcl:"clock_to_q"`
		D        int `hcl:"setup_d"`
		CE       int `hcl:"setup_ce"`
		SR       int `hcl:"setup_sr"`
	} `hcl:"flip_flop,block"`
	LUT []int `hcl:"lut"`
	Mux struct {
		Select int `hcl:"select"`
		Data   int `hcl:"data"`
	} `hcl:"mux,block"`
	LUTMemory struct {
		Read     int `hcl:"read"`
		ClockToQ int `hcl:"clock_to_q"`
		Data     int `hcl:"setup_data"`
		Address  int `hcl:"setup_address"`
		Enable   int `hcl:"setup_enable"`
	} `hcl:"lut_memory,block"`
	BlockRAM memoryDelays `hcl:"block_ram,block"`
	UltraRAM memoryDelays `hcl:"ultra_ram,block"`
	DSP      struct {
		Through int `hcl:"through"`
		Setup   int `hcl:"setup"`
	} `hcl:"dsp,block"`
	Site struct {
		LUTToFF      int `hcl:"lut_to_ff"`
		LUTToMux     int `hcl:"lut_to_mux"`
		LUTToCarry   int `hcl:"lut_to_carry"`
		MuxToFF      int `hcl:"mux_to_ff"`
		MuxOut       int `hcl:"mux_out"`
		SumToFF      int `hcl:"sum_to_ff"`
		SumOut       int `hcl:"sum_out"`
		BypassToFF   int `hcl:"bypass_to_ff"`
		CarryToCarry int `hcl:"carry_to_carry"`
	} `hcl:"site,block"`
	Wire struct {
		Entry int `hcl:"entry"`
		Hop   int `hcl:"hop"`
	} `hcl:"wire,block"`
	Carry struct {
		SO   [][]int `hcl:"s_o"`
		SCO  [][]int `hcl:"s_co"`
		DIO  [][]int `hcl:"di_o"`
		DICO [][]int `hcl:"di_co"`
		CIO  []int   `hcl:"ci_o"`
		CICO []int   `hcl:"ci_co"`
		AXO  []int   `hcl:"ax_o"`
		AXCO []int   `hcl:"ax_co"`
	} `hcl:"carry,block"`
}

type memoryDelays struct {
	ClockToQ   int `hcl:"clock_to_q"`
	Registered int `hcl:"registered"`
	Address    int `hcl:"setup_address"`
	Data       int `hcl:"setup_data"`
}

// wire is the delay of a net of so many sinks.
func wire(sinks int) int {
	w := delays.Wire
	return w.Entry + int(math.Round(float64(w.Hop)*(2+math.Log2(float64(max(sinks, 1))))))
}
