package rx

import (
	"testing"

	"github.com/cclforge/cclforge/verify/rtltest/block"
)

func TestDefectsOfUnits(t *testing.T) {
	block.Plant(t, "^Test(TheReceiveSideDoesWhatItsModelDoes|PostedReceivesGetTheirMessages|NoticesAreHeld|"+
		"APostEndsWithItsMessages)/^(u55c_tcp|stream)$", "header_parts", "inbound", "inbound_payload",
		"message_matcher", "message_recorder", "message_table", "message_wants", "messages", "notices", "partial_table",
		"posted_receive", "put_joiner", "rx_buffers", "rx_registers", "sender_table")
}
