# Vitis HLS (UG1399, "Vitis HLS Command Reference" of 2022.1).

namespace eval model {
    variable solution ""
}

model::command open_project {reset upgrade} {} 1 1 { ::model::make hls hls [list NAME [lindex $arguments 0] FILES {} BENCH {} RAN {}] }
model::command set_top {} {} 1 1 { ::model::put hls TOP [lindex $arguments 0] }
model::command add_files {tb} {cflags csimflags blackbox} 1 1 {
    if {![file isfile [lindex $arguments 0]]} {
        error "add_files: there is no file [lindex $arguments 0]"
    }
    set to [expr {[info exists option(tb)] ? "BENCH" : "FILES"}]
    ::model::put hls $to [concat [::model::get hls $to] [list [lindex $arguments 0] $option(cflags)]]
}
model::command open_solution {reset} {flow_target} 1 1 {
    ::model::put hls FLOW $option(flow_target)
    set ::model::solution [lindex $arguments 0]
}
model::command set_part {} {} 1 1 { ::model::put hls PART [lindex $arguments 0] }
model::command create_clock {} {period name} 0 0 { ::model::put hls CLOCK $option(period) }
model::command config_rtl {} {reset reset_level} 0 0 { ::model::put hls RESET $option(reset) }
model::command csim_design {clean O setup} {argv ldflags} 0 0 { ::model::put hls RAN [concat [::model::get hls RAN] csim] }
model::command csynth_design {synthesis_check dump_cfg} {} 0 0 { ::model::put hls RAN [concat [::model::get hls RAN] csynth] }
model::command export_design {} {format output rtl flow vendor library version description display_name ipname} 0 0 {
    if {[lindex [::model::get hls RAN] end] ne "csynth"} {
        error "export_design: nothing was synthesized"
    }
    ::model::put hls XO $option(output)
    ::model::put hls FORMAT $option(format)
}
