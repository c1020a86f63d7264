package main

// vppOptions are the options of v++ (UG1393 2022.1 to 2023.2 and UG1702 from 2024.1, "v++
// General Options" and the pages of its families; --mode from UG1553 2023.1).
var vppOptions = Table{Dash: "--", Inputs: true, Specs: []Spec{
	{Long: "compile", Short: "c"}, {Long: "link", Short: "l"}, {Long: "package", Short: "p"},
	{Long: "help", Short: "h"}, {Long: "version", Short: "v"}, {Long: "verbose"},
	{Long: "config", Takes: Many},
	{Long: "custom_script", Takes: 1},
	{Long: "define", Short: "D", Takes: 1}, {Long: "include", Short: "I", Takes: 1},
	{Long: "debug", Short: "g"},
	{Long: "export_script"}, {Long: "from_step", Takes: 1}, {Long: "to_step", Takes: 1}, {Long: "list_steps"},
	{Long: "input_files", Takes: Many},
	{Long: "interactive", Takes: 1, Values: []string{"synth", "impl"}},
	{Long: "jobs", Short: "j", Takes: 1},
	{Long: "kernel", Short: "k", Takes: 1},
	{Long: "kernel_frequency", Takes: 1},
	{Long: "freqhz", Takes: 1, Since: "2023.2"},
	{Long: "log_dir", Takes: 1}, {Long: "temp_dir", Takes: 1}, {Long: "report_dir", Takes: 1},
	{Long: "lsf", Takes: 1}, {Long: "message_rules", Takes: 1},
	{Long: "mode", Takes: 1, Since: "2023.1", Values: []string{"hls", "aie"}},
	{Long: "work_dir", Takes: 1, Since: "2023.1"},
	{Long: "part", Takes: 1, Since: "2023.1"},
	{Long: "no_ip_cache"}, {Long: "remote_ip_cache", Takes: 1},
	{Long: "optimize", Short: "O", Takes: 1, Values: []string{"0", "1", "2", "3", "s", "quick"}},
	{Long: "output", Short: "o", Takes: 1},
	{Long: "platform", Short: "f", Takes: 1},
	{Long: "board_connection", Takes: 1},
	{Long: "report_level", Short: "R", Takes: 1, Values: []string{"0", "1", "2", "estimate"}},
	{Long: "reuse_bit", Takes: 1}, {Long: "reuse_impl", Takes: 1},
	{Long: "save-temps", Short: "s"},
	{Long: "target", Short: "t", Takes: 1, Values: []string{"sw_emu", "hw_emu", "hw"}},
	{Long: "trace_memory", Takes: 1},
	{Long: "user_board_repo_paths", Takes: 1}, {Long: "user_ip_repo_paths", Takes: 1},
	{Long: "advanced", Takes: 1, Family: []string{"misc", "param", "prop"}},
	{Long: "clock", Takes: 1, Family: []string{"defaultFreqHz", "default_freqhz", "defaultId", "default_id",
		"defaultTolerance", "default_tolerance", "freqHz", "id", "tolerance"}},
	{Long: "connectivity", Takes: 1, Family: []string{"nk", "slr", "sp", "sc", "stream_connect", "connect", "noc.connect",
		"noc.read_bw", "noc.write_bw"}},
	{Long: "debug", Takes: 1, Family: []string{"aie.chipscope", "chipscope", "list_ports", "protocol"}},
	{Long: "hls", Takes: 1, Family: []string{"clock", "export_mode", "export_project", "jobs", "lsf", "max_memory_ports",
		"memory_port_data_width", "post_tcl", "pre_tcl"}},
	{Long: "hls", Takes: 1, Family: []string{"*"}, Since: "2023.1"},
	{Long: "linkhook", Takes: 1, Family: []string{"custom", "do_first", "do_last", "list_steps"}},
	{Long: "package", Takes: 1, Family: []string{"*"}},
	{Long: "profile", Takes: 1, Family: []string{"aie", "data", "exec", "stall", "trace_memory"}},
	{Long: "vivado", Takes: 1, Family: []string{"impl.jobs", "impl.lsf", "impl.strategies", "param", "prop",
		"synth.jobs", "synth.lsf"}},
}}

// vivadoOptions are the options of vivado (UG835, "vivado").
var vivadoOptions = Table{Dash: "-", Inputs: true, Specs: []Spec{
	{Long: "mode", Takes: 1, Values: []string{"gui", "tcl", "batch"}},
	{Long: "init"}, {Long: "source", Takes: Many},
	{Long: "nojournal"}, {Long: "nolog"}, {Long: "notrace"}, {Long: "appjournal"}, {Long: "applog"},
	{Long: "journal", Takes: 1}, {Long: "log", Takes: 1},
	{Long: "messageDb", Takes: 1}, {Long: "tempDir", Takes: 1}, {Long: "stack", Takes: 1},
	{Long: "tclargs", Takes: Many},
	{Long: "verbose"}, {Long: "version"}, {Long: "help"}, {Long: "quiet"},
}}

// hlsOptions are the options of vitis_hls (UG1399, "vitis_hls Command").
var hlsOptions = Table{Dash: "-", Specs: []Spec{
	{Long: "f", Takes: 1}, {Long: "i"}, {Long: "l", Takes: 1}, {Long: "n"}, {Long: "nosplash"}, {Long: "p", Takes: 1},
	{Long: "eval", Takes: 1}, {Long: "tclargs", Takes: Many}, {Long: "root_dir"}, {Long: "version"}, {Long: "help"},
}}

// xclbinutilOptions are the options of xclbinutil (XRT documentation, "xclbinutil").
var xclbinutilOptions = Table{Dash: "--", Specs: []Spec{
	{Long: "help", Short: "h"}, {Long: "version"}, {Long: "verbose", Short: "v"}, {Long: "quiet", Short: "q"},
	{Long: "force"}, {Long: "trace", Short: "t"},
	{Long: "input", Short: "i", Takes: 1}, {Long: "output", Short: "o", Takes: 1}, {Long: "info", Takes: Optional},
	{Long: "list-sections"}, {Long: "list-names"},
	{Long: "add-section", Takes: Many}, {Long: "add-replace-section", Takes: Many},
	{Long: "add-merge-section", Takes: Many}, {Long: "append-section", Takes: Many},
	{Long: "replace-section", Takes: Many}, {Long: "remove-section", Takes: Many}, {Long: "dump-section", Takes: Many},
	{Long: "add-kernel", Takes: Many}, {Long: "add-pskernel", Takes: Many}, {Long: "key-value", Takes: Many},
	{Long: "remove-key", Takes: Many},
	{Long: "private-key", Takes: 1}, {Long: "certificate", Takes: 1}, {Long: "digest-algorithm", Takes: 1},
	{Long: "validate-signature"},
	{Long: "target", Takes: 1, Values: []string{"sw_emu", "hw_emu", "hw"}}, {Long: "skip-uuid-insertion"},
	{Long: "skip-bank-grouping"},
	{Long: "file-check"}, {Long: "migrate-forward"}, {Long: "dump-signature", Takes: 1}, {Long: "add-signature", Takes: 1},
	{Long: "remove-signature"}, {Long: "get-signature"},
}}

// updatememOptions are the options of updatemem (UG1580, "Arguments for updatemem").
var updatememOptions = Table{Dash: "-", Specs: []Spec{
	{Long: "meminfo", Takes: 1}, {Long: "data", Takes: 1}, {Long: "writememfile", Takes: 1}, {Long: "bit", Takes: 1},
	{Long: "proc", Takes: 1},
	{Long: "out", Takes: 1}, {Long: "force"}, {Long: "debug"}, {Long: "quiet"}, {Long: "help"}, {Long: "version"},
}}

// emconfigutilOptions are the options of emconfigutil (UG1393, "emconfigutil Utility").
var emconfigutilOptions = Table{Dash: "--", Specs: []Spec{
	{Long: "platform", Short: "f", Takes: 1}, {Long: "nd", Takes: 1}, {Long: "od", Takes: 1},
	{Long: "save-temps", Short: "s"},
	{Long: "xp", Takes: 1}, {Long: "help", Short: "h"}, {Long: "version", Short: "v"},
}}
