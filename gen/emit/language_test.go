package emit

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	is "gotest.tools/v3/assert/cmp"

	"github.com/cclforge/cclforge/gen/abi"
	"github.com/cclforge/cclforge/gen/design"
)

func TestCollisions(t *testing.T) {
	operation := func(g *abi.Generation) {
		g.Enums = append(g.Enums, abi.Enum{Name: "move", Values: []abi.EnumValue{{Name: "queues"}}})
	}
	for _, test := range []struct {
		name   string
		render func(d *design.Design) error
		change func(g *abi.Generation)
		want   []string
	}{
		{"macro", generationError, operation, []string{"move_queues (moves.hcl, line ", "move queues",
			"CCLO_MOVE_QUEUES in C"}},
		{"struct", generationError, func(g *abi.Generation) {
			g.Records = append(g.Records, abi.Record{Name: "rx_buffers_record", Words: []abi.RecordWord{{Name: "word"}}})
		}, []string{"cclo_rx_buffers_record in C"}},
		{"macro of every file", generationError, func(g *abi.Generation) {
			g.Constants = append(g.Constants, abi.Constant{Name: "static_assert"})
		}, []string{"CCLO_STATIC_ASSERT"}},
		{"macro of the platform", rendererError(firmware), func(g *abi.Generation) {
			g.Constants = append(g.Constants, abi.Constant{Name: "platform_clock_mhz"})
		}, []string{"platform_clock_mhz", "platform clock_mhz (u55c_tcp.hcl, line ", "CCLO_PLATFORM_CLOCK_MHZ in C"}},
		{"parameter", rendererError(rtl), operation, []string{"MOVE_QUEUES in SystemVerilog"}},
		{"constant in a namespace", rendererError(hls), func(g *abi.Generation) {
			g.Layouts = append(g.Layouts, abi.Layout{Name: "feature", Width: 8, Fields: []abi.Field{{Name: "x", High: 0}}})
			g.Features = map[string]bool{"x_low": true}
		}, []string{"feature x_low", "feature x low", "feature::XLow in C++"}},
		{"Go constant", rendererError(godriver), operation, []string{"MoveQueues in Go"}},
		{"Go type", rendererError(godriver), func(g *abi.Generation) {
			g.Enums = append(g.Enums, abi.Enum{Name: "flag"})
		}, []string{"Flag in Go"}},
		{"Go variable of the card", rendererError(godriver), func(g *abi.Generation) {
			g.Enums = append(g.Enums, abi.Enum{Name: "card"})
		}, []string{"Card in Go"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.render(with(t, test.change))
			assert.ErrorIs(t, err, ErrCollision)
			for _, want := range test.want {
				assert.Check(t, is.Contains(err.Error(), want), "%v does", err)
			}
		})
	}
}

func generationError(d *design.Design) error {
	_, err := Generation(d.ABI())
	return err
}

func rendererError(render func(*design.Design) ([]File, error)) func(*design.Design) error {
	return func(d *design.Design) error {
		_, err := render(d)
		return err
	}
}

// TestUnknownConfigurationWord: a configuration with a word that nobody gives
// a value must not be rendered with zeros.
func TestUnknownConfigurationWord(t *testing.T) {
	for _, header := range []bool{true, false} {
		d := with(t, func(g *abi.Generation) {
			m := *g.Memory(abi.Exchange)
			m.Tables = append([]abi.Table(nil), m.Tables...)
			table := m.Table(abi.ArithmeticConfigs)
			if header {
				table.Header = append(append([]abi.RecordWord(nil), table.Header...), abi.RecordWord{Name: "mystery"})
			} else {
				table.Record = []abi.RecordWord{{Name: "mystery"}}
			}
			g.Memories = []abi.Memory{m}
		})
		for _, render := range []func(*design.Design) ([]File, error){firmware, rtl, hls, godriver} {
			if _, err := render(d); err == nil || !strings.Contains(err.Error(), `"mystery"`) {
				t.Errorf("%v, want an error that names the word", err)
			}
		}
	}
}

// TestPerGenerationForgets: generations that are gone leave nothing behind.
func TestPerGenerationForgets(t *testing.T) {
	p := perGeneration[[]byte]{build: func(*abi.Generation) ([]byte, error) { return make([]byte, 1<<10), nil }}
	for range 100 {
		_, err := p.of(&abi.Generation{Name: "gone"})
		assert.NilError(t, err)
	}
	left := func() (n int) {
		p.made.Range(func(any, any) bool { n++; return true })
		return n
	}
	for range 500 {
		if left() == 0 {
			return
		}
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d of 100 are left", left())
}
