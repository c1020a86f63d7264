package external_dma

import "github.com/cclforge/cclforge/verify/rtltest/block"

const folder = "external_dma"

var set = block.NewSet(
	block.Module{Name: "dma_read_align", Folder: folder},
	block.Module{Name: "dma_read", Folder: folder, Params: map[string]string{"MEMORIES": "2", "BURST_BEATS": "8",
		"LINES": "32", "COMMANDS": "4"}},
	block.Module{Name: "dma_read", As: "dma_read_whole", Folder: folder},
	block.Module{Name: "dma_write_align", Folder: folder, Params: map[string]string{"BURST_BEATS": "4"}},
	block.Module{Name: "dma_write", Folder: folder, Params: map[string]string{"MEMORIES": "2", "BURST_BEATS": "4",
		"LINES": "16", "OUTSTANDING": "5"}},
	block.Module{Name: "dma_write", As: "dma_write_whole", Folder: folder},
	block.Module{Name: "dma_control", Folder: folder},
	block.Module{Name: "dma_mover", Folder: folder},
	block.Module{Name: "external_dma_1port", Folder: "external_dma_1port", Needs: []string{folder}},
	block.Module{Name: "external_dma_2port", Folder: "external_dma_2port", Needs: []string{folder}, Host: true},
)
