package floorplan

import _ "embed"

// boxClass is the colour of a role: that of the streams which lead to it.
func boxClass(role string) string {
	switch role {
	case roleEngine, "arithmetic", "compression", "dma", "closer":
		return role
	case "host_controller", roleArbiter:
		return "control"
	case "user":
		return "kernel"
	case rolePOE:
		return "network"
	case "session_handler":
		return "session"
	case roleMAC, "emulated_rx", "emulated_tx":
		return groupMAC
	default:
		return groupOther
	}
}

// style holds all colours, for light and for dark surroundings. Its selectors
// start with the picture's class, because a page may show it inline.
//
//go:embed style.css
var style string
