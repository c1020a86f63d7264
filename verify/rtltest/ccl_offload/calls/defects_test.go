package calls

import (
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestDefectsOfUnits(t *testing.T) {
	block.Plant(t, "^(TestClients|TestAFullQueue|TestAClient|TestWhatIsNo)", "calls", "call_queue",
		"call_tickets")
}
