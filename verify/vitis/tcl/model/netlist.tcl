# A routed design: its cells and its reports (UG835).

namespace eval model {
    variable part ""
}

# cell adds one with its properties.
proc model::cell {name values} {
    make cell $name [concat [list NAME $name] $values]
}

model::command current_design {} {} 0 1 { return [::model::need design design] }

model::command get_cells {hierarchical} {of_objects filter regexp} 0 1 {
    if {![info exists option(hierarchical)] || ![regexp {^(\w+) =~ (\S+)$} $option(filter) all property pattern]} {
        error "get_cells: -hierarchical -filter {PROPERTY =~ pattern}"
    }
    set found {}
    foreach cell [::model::all cell] {
        if {[string match $pattern [::model::get $cell $property]]} {
            lappend found $cell
        }
    }
    return $found
}

proc model::report {name title} {
    upvar 1 option option
    if {![info exists option(file)]} {
        error "$name: -file is missing"
    }
    if {[info exists ::model::broken] && $::model::broken eq $name} {
        error "$name: licence"
    }
    set out [open $option(file) w]
    puts $out $title
    close $out
}

model::command report_timing_summary {report_unconstrained no_header datasheet routable_nets append warn_on_violation} {delay_type max_paths nworst file name} 0 0 {
    if {$option(delay_type) ni {max min min_max}} {
        error "report_timing_summary: -delay_type $option(delay_type)"
    }
    ::model::report report_timing_summary timing
}
model::command report_utilization {slr hierarchical hierarchical_percentages append packthru} {file cells pblocks hierarchical_depth name} 0 0 {
    ::model::report report_utilization utilization
}
model::command report_power {no_propagation hier advisory append} {file name format xpe rpx} 0 0 {
    ::model::report report_power power
}
