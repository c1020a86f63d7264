package main

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
)

// View is what reports are about.
type View struct {
	Version   string // "2023.2"
	Build     string // of Vivado: "4029153 Fri Oct 13 20:13:54 MDT 2023"
	Part      string
	Platform  string
	Design    string  // hash
	Frequency float64 // MHz of the kernels' clock
	Slack     float64 // ns of the kernels' clock
	SLRs      int
	Instances []Unit
	// Banks are the memory ports of instances, "extdma_0_0.m_axi_0", and what they lead to.
	Banks map[string]string
}

// Unit is a compute unit.
type Unit struct {
	Name, Kernel string
	SLR          int // -1: anywhere
}

// figure is a number that is always the same for the same words.
func figure(least, most int, words ...string) int {
	h := fnv.New32a()
	h.Write([]byte(strings.Join(words, "\x00")))
	return least + int(h.Sum32()%uint32(most-least+1))
}

// Implementation are the reports of a routed design, by file name.
func Implementation(v View) map[string]string {
	return map[string]string{
		"impl_1_hw_bb_locked_timing_summary_routed.rpt": timing(v),
		"impl_1_kernel_util_routed.rpt":                 kernels(v),
		"impl_1_full_util_routed.rpt":                   utilization(v),
		"impl_1_slr_util_routed.rpt":                    regions(v),
		"impl_1_hw_bb_locked_power_routed.rpt":          power(v),
	}
}

// Any is the report that a file's name asks for.
func Any(file string, v View) string {
	switch {
	case strings.Contains(file, "timing"):
		return timing(v)
	case strings.Contains(file, "slr"):
		return regions(v)
	case strings.Contains(file, "power"):
		return power(v)
	}
	return utilization(v)
}

const dashes = "------------------------------------------------------------------------------------------------"

func head(b *strings.Builder, v View, command string) {
	line := strings.Repeat("-", 133)
	fmt.Fprintf(b,
		"Copyright 1986-2022 Xilinx, Inc. All Rights Reserved. Copyright 2022-%s Advanced Micro Devices, Inc. All Rights "+
			"Reserved.\n%s\n", v.Version[:4], line)
	fmt.Fprintf(b,
		"| Tool Version      : Vivado v.%s (lin64) Build %s\n| Date              : Fri Oct 13 20:13:54 2023\n| Host       "+
			"       : stand-in running 64-bit Linux\n", v.Version, v.Build)
	fmt.Fprintf(b,
		"| Command           : %s\n| Design            : level0_wrapper\n| Device            : %s\n| Speed File        : "+
			"-2L\n| Design State      : Routed\n%s\n\n", command, v.Part, line)
}

func title(b *strings.Builder, text string) {
	fmt.Fprintf(b, "%s\n| %s\n| %s\n%s\n\n", dashes, text, strings.Repeat("-", len(text)), dashes)
}

func timing(v View) string {
	var b strings.Builder
	head(&b, v, "report_timing_summary -slack_lesser_than 0 -file impl_1_hw_bb_locked_timing_summary_routed.rpt")
	b.WriteString("Timing Summary Report\n\n")
	type clock struct {
		name          string
		period, slack float64
	}
	clocks := []clock{
		{"clk_kernel_00_unbuffered_net", 1000 / v.Frequency, v.Slack},
		{"clk_kernel_01_unbuffered_net", 2, 0.412},
		{"io_clk_pcie_00", 10, 4.821},
		{"txoutclk_out[0]", 3.103, 0.037},
	}
	worst := clocks[0].slack
	for _, c := range clocks {
		worst = min(worst, c.slack)
	}
	const columns = "    WNS(ns)      TNS(ns)  TNS Failing Endpoints  TNS Total Endpoints      WHS(ns)      THS(ns)  " +
		"THS Failing Endpoints  THS Total Endpoints     WPWS(ns)     TPWS(ns)  TPWS Failing Endpoints  TPWS Total " +
		"Endpoints  \n"
	const rules = "    -------      -------  ---------------------  -------------------      -------      -------  " +
		"---------------------  -------------------     --------     --------  ----------------------  " +
		"--------------------  \n"
	row := func(slack float64, name string) string {
		total, failing, pulse := 0.0, 0, 0.512
		if slack < 0 {
			total, failing = slack*17, 42
		}
		return fmt.Sprintf("%11.3f %12.3f %22d %20d %12.3f %12.3f %22d %20d %12.3f %12.3f %23d %21d  \n",
			slack, total, failing, figure(200_000, 900_000, v.Design, name), 0.01, 0.0, 0, figure(200_000, 900_000, v.Design,
				name), pulse, 0.0, 0, figure(90_000, 400_000, v.Design, name))
	}
	title(&b, "Design Timing Summary")
	b.WriteString(columns + rules + row(worst, "") + "\n\n")
	if worst < 0 {
		b.WriteString("Timing constraints are not met.\n\n\n")
	} else {
		b.WriteString("All user specified timing constraints are met.\n\n\n")
	}
	title(&b, "Clock Summary")
	fmt.Fprintf(&b, "%-40s %-22s %-15s %s\n%-40s %-22s %-15s %s\n", "Clock", "Waveform(ns)", "Period(ns)",
		"Frequency(MHz)", "-----", "------------", "----------", "--------------")
	for _, c := range clocks {
		fmt.Fprintf(&b, "%-40s %-22s %-15.3f %-15.3f\n", c.name, fmt.Sprintf("{0.000 %.3f}", c.period/2),
			c.period, 1000/c.period)
	}
	b.WriteString("\n\n")
	title(&b, "Intra Clock Table")
	fmt.Fprintf(&b, "%-37s%s%-37s%s", "Clock", columns, "-----", rules)
	for _, c := range clocks {
		fmt.Fprintf(&b, "%-37s%s", c.name, row(c.slack, c.name))
	}
	b.WriteString("\n\n")
	for _, t := range []string{"Inter Clock Table", "Other Path Groups Table", "User Ignored Path Table",
		"Timing Details"} {
		title(&b, t)
	}
	fmt.Fprintf(&b,
		"From Clock:  %s\n  To Clock:  %s\n\nSetup :            0  Failing Endpoints,  Worst Slack %12.3fns,  Total "+
			"Violation        0.000ns\n", clocks[0].name, clocks[0].name, clocks[0].slack)
	return b.String()
}

func power(v View) string {
	var b strings.Builder
	head(&b, v, "report_power -file impl_1_hw_bb_locked_power_routed.rpt")
	dynamic := float64(figure(18_000, 60_000, v.Design)) / 1000
	const static = 3.412
	b.WriteString("Power Report\n\n1. Summary\n----------\n\n")
	rows := [][2]string{
		{"Total On-Chip Power (W)", fmt.Sprintf("%.3f", dynamic+static)}, {"Design Power Budget (W)", "63.000"},
		{"Power Budget Margin (W)", fmt.Sprintf("%.3f (MET)", 63-dynamic-static)},
		{"Dynamic (W)", fmt.Sprintf("%.3f", dynamic)}, {"Device Static (W)", fmt.Sprintf("%.3f", static)},
		{"Effective TJA (C/W)", "0.7"},
		{"Max Ambient (C)", "69.1"}, {"Junction Temperature (C)", "55.9"}, {"Confidence Level", "Low"},
		{"Setting File", "---"}, {"Simulation Activity File", "---"}, {"Design Nets Matched", "NA"},
	}
	rule := "+" + strings.Repeat("-", 26) + "+" + strings.Repeat("-", 16) + "+\n"
	b.WriteString(rule)
	for _, r := range rows {
		fmt.Fprintf(&b, "| %-24s | %-14s |\n", r[0], r[1])
	}
	b.WriteString(rule + "\n\n")
	return b.String()
}

// Info is what the linker writes beside a device binary (xclbinutil --info).
func Info(v View, uuid, xrt, target string) string {
	rule := strings.Repeat("=", 78) + "\n"
	under := func(text string) string { return text + "\n" + strings.Repeat("-", len(text)) + "\n" }
	var b strings.Builder
	var order []string
	kernels := map[string][]string{}
	for _, in := range v.Instances {
		if kernels[in.Kernel] == nil {
			order = append(order, in.Kernel)
		}
		kernels[in.Kernel] = append(kernels[in.Kernel], in.Name)
	}
	content := map[string]string{"hw": "Bitstream", "hw_emu": "HW Emulation Binary"}[target]
	fmt.Fprintf(&b,
		"\n%sXRT Build Version: %s (%s)\n       Build Date: 2023-10-06 16:38:42\n          Hash ID: fa4e596bd6\n%s",
		rule, xrt, v.Version, rule)
	b.WriteString(under("xclbin Information"))
	fmt.Fprintf(&b,
		"   Generated by:           v++ (%s) on 2023-10-11-13:59:14\n   Version:                %s\n   Kernels:           "+
			"     %s\n   Signature:              \n   Content:                %s\n   UUID (xclbin):          %s\n   "+
			"Sections:               BITSTREAM, CONNECTIVITY, IP_LAYOUT, \n                           BUILD_METADATA, "+
			"CLOCK_FREQ_TOPOLOGY\n%s",
		v.Version, xrt, strings.Join(order, ", "), content, uuid, rule)
	b.WriteString(under("Hardware Platform (Shell) Information"))
	fmt.Fprintf(&b, "   Platform VBNV:          %s\n\n", v.Platform)
	b.WriteString(under("Scalable Clocks"))
	fmt.Fprintf(&b, "   Name:      DATA_CLK\n   Index:     0\n   Type:      DATA\n   Frequency: %g MHz\n\n", v.Frequency)
	b.WriteString(under("System Clocks"))
	fmt.Fprintf(&b,
		"   Name:           ulp_ucs_aclk_kernel_00 \n   Type:           SCALABLE \n   Default Freq:   300 MHz\n   "+
			"Requested Freq: %g MHz\n   Achieved Freq:  %g MHz\n\n", v.Frequency, v.Frequency)
	b.WriteString(under("Memory Configuration"))
	used := map[string]bool{}
	for _, bank := range v.Banks {
		used[bank] = true
	}
	for i, bank := range slices.Sorted(maps.Keys(used)) {
		memory, _, _ := strings.Cut(bank, "[")
		fmt.Fprintf(&b,
			"   Name:         %s\n   Index:        %d\n   Type:         MEM_%s\n   Base Address: 0x%x\n   Address Size: "+
				"0x20000000\n   Bank Used:    Yes\n\n", bank, i, memory, i<<29)
	}
	at := 0
	for _, k := range order {
		fmt.Fprintf(&b, "%sKernel: %s\n\n", rule, k)
		for _, name := range kernels[k] {
			fmt.Fprintf(&b, "--------------------------\nInstance:        %s\n   Base Address: 0x%x\n\n", name, 0x1800000+at<<16)
			at++
			for _, port := range slices.Sorted(maps.Keys(v.Banks)) {
				if argument, ok := strings.CutPrefix(port, name+"."); ok {
					memory, _, _ := strings.Cut(v.Banks[port], "[")
					fmt.Fprintf(&b,
						"   Argument:           %s\n   Register Offset:    0x10\n   Port:               %s\n   Memory:             %s "+
							"(MEM_%s)\n\n", argument, argument, v.Banks[port], memory)
				}
			}
		}
	}
	fmt.Fprintf(&b, "%s%s   Command:       v++\n   Version:       %s\n%s%s", rule, under("Generated By"), v.Version, rule,
		under("User Added Key Value Pairs"))
	fmt.Fprintf(&b, "   <empty>\n%s", rule)
	return b.String()
}
