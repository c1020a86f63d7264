package floorplan

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
const style = `
.floorplan{font-family:Helvetica,Arial,"Liberation Sans",sans-serif}
.floorplan text{fill:#1f2328;stroke:none}
.floorplan .start{text-anchor:start}.floorplan .middle{text-anchor:middle}.floorplan .end{text-anchor:end}
.floorplan .page{fill:#fff}
.floorplan .title{font-size:24px;font-weight:bold}
.floorplan .sub{font-size:15px;fill:#59636e}
.floorplan .region{fill:#f6f8fa;stroke:#c8d1da}
.floorplan .free{fill:none;stroke-dasharray:5 4}
.floorplan .slr{font-size:14px;font-weight:bold;fill:#59636e}
.floorplan .note,.floorplan .legend{font-size:13px;fill:#59636e}
.floorplan .label{font-size:13px;paint-order:stroke;stroke:#f6f8fa;stroke-width:3px;stroke-linejoin:round}
.floorplan .t16{font-size:16px}.floorplan .t14{font-size:14px}
.floorplan .t13{font-size:13px;fill:#59636e}
.floorplan .name{font-weight:bold}
.floorplan .wire path{fill:none;stroke:#57606a;stroke-linejoin:round}
.floorplan .wire polygon{fill:#57606a;stroke:none}
.floorplan .wide path{stroke-width:3}.floorplan .medium path{stroke-width:2}.floorplan .thin path{stroke-width:1.4}
.floorplan .box rect{fill:#fff;stroke:#57606a;stroke-width:1.4}
.floorplan .host rect{fill:#eaeef2;stroke:#6e7781}
.floorplan .engine rect{fill:#1f3b5c;stroke:#14283f}
.floorplan .engine .name{fill:#fff}.floorplan .engine .t13{fill:#c3d2e4}
.floorplan .control.wire path{stroke:#24292f}.floorplan .control.wire polygon{fill:#24292f}
.floorplan .control.box rect{fill:#eaeef2;stroke:#24292f}
.floorplan .registers.wire path{stroke:#6e7781}.floorplan .registers.wire polygon,.floorplan .registers.dot{fill:#6e7781}
.floorplan .dma.wire path{stroke:#0969da}.floorplan .dma.wire polygon{fill:#0969da}
.floorplan .dma.box rect{fill:#ddf4ff;stroke:#0969da}
.floorplan .arithmetic.wire path{stroke:#bc4c00}.floorplan .arithmetic.wire polygon{fill:#bc4c00}
.floorplan .arithmetic.box rect{fill:#fff1e5;stroke:#bc4c00}
.floorplan .compression.wire path{stroke:#8250df}.floorplan .compression.wire polygon{fill:#8250df}
.floorplan .compression.box rect{fill:#fbefff;stroke:#8250df}
.floorplan .kernel.wire path{stroke:#bf3989}.floorplan .kernel.wire polygon{fill:#bf3989}
.floorplan .kernel.box rect{fill:#ffeff7;stroke:#bf3989}
.floorplan .network.wire path{stroke:#1a7f37}.floorplan .network.wire polygon{fill:#1a7f37}
.floorplan .network.box rect{fill:#dafbe1;stroke:#1a7f37}
.floorplan .session.wire path{stroke:#0e8a9c}.floorplan .session.wire polygon{fill:#0e8a9c}
.floorplan .session.box rect{fill:#d9f3f7;stroke:#0e8a9c}
.floorplan .mac.wire path{stroke:#9a6700}.floorplan .mac.wire polygon{fill:#9a6700}
.floorplan .mac.box rect,.floorplan .ethernet rect{fill:#fff8c5;stroke:#9a6700}
.floorplan .closer.wire path{stroke:#8c959f;stroke-dasharray:6 3}.floorplan .closer.wire polygon{fill:#8c959f}
.floorplan .closer.box rect{fill:#fff;stroke:#8c959f;stroke-dasharray:4 3}
.floorplan .memory.wire path{stroke:#7a3e1d}.floorplan .memory.wire polygon,.floorplan .memory.dot{fill:#7a3e1d}
.floorplan .memory.box rect{fill:#f6e9e0;stroke:#7a3e1d}
.floorplan .memory.box .bar{fill:#fff;stroke:none}.floorplan .memory.box .used{fill:#7a3e1d}
.floorplan .wire path.hit{stroke-opacity:0;stroke-width:14;stroke-dasharray:none;pointer-events:stroke}
@media (prefers-color-scheme:dark){
.floorplan text{fill:#e6edf3}
.floorplan .page{fill:#0d1117}
.floorplan .sub,.floorplan .slr,.floorplan .note,.floorplan .legend,.floorplan .t13{fill:#9198a1}
.floorplan .region{fill:#151b23;stroke:#3d444d}.floorplan .free{fill:none}
.floorplan .label{stroke:#151b23}
.floorplan .box rect{fill:#212830}
.floorplan .host rect{fill:#2a313c;stroke:#9198a1}
.floorplan .engine rect{fill:#2f5a8f;stroke:#6ba3e8}
.floorplan .control.wire path{stroke:#e6edf3}.floorplan .control.wire polygon{fill:#e6edf3}
.floorplan .control.box rect{fill:#2a313c;stroke:#e6edf3}
.floorplan .registers.wire path{stroke:#9198a1}.floorplan .registers.wire polygon,.floorplan .registers.dot{fill:#9198a1}
.floorplan .dma.wire path{stroke:#4493f8}.floorplan .dma.wire polygon{fill:#4493f8}
.floorplan .dma.box rect{fill:#10243e;stroke:#4493f8}
.floorplan .arithmetic.wire path{stroke:#f0883e}.floorplan .arithmetic.wire polygon{fill:#f0883e}
.floorplan .arithmetic.box rect{fill:#35200f;stroke:#f0883e}
.floorplan .compression.wire path{stroke:#ab7df8}.floorplan .compression.wire polygon{fill:#ab7df8}
.floorplan .compression.box rect{fill:#271a40;stroke:#ab7df8}
.floorplan .kernel.wire path{stroke:#db61a2}.floorplan .kernel.wire polygon{fill:#db61a2}
.floorplan .kernel.box rect{fill:#3a1a2c;stroke:#db61a2}
.floorplan .network.wire path{stroke:#3fb950}.floorplan .network.wire polygon{fill:#3fb950}
.floorplan .network.box rect{fill:#12301b;stroke:#3fb950}
.floorplan .session.wire path{stroke:#39c5cf}.floorplan .session.wire polygon{fill:#39c5cf}
.floorplan .session.box rect{fill:#0c2d33;stroke:#39c5cf}
.floorplan .mac.wire path{stroke:#e3b341}.floorplan .mac.wire polygon{fill:#e3b341}
.floorplan .mac.box rect,.floorplan .ethernet rect{fill:#332701;stroke:#e3b341}
.floorplan .closer.box rect{fill:#151b23;stroke:#656c76}.floorplan .closer.wire path{stroke:#656c76}.floorplan .closer.wire polygon{fill:#656c76}
.floorplan .memory.wire path{stroke:#b98d6f}.floorplan .memory.wire polygon,.floorplan .memory.dot{fill:#b98d6f}
.floorplan .memory.box rect{fill:#33261e;stroke:#b98d6f}
.floorplan .memory.box .bar{fill:#0d1117;stroke:none}.floorplan .memory.box .used{fill:#b98d6f}
}
`
