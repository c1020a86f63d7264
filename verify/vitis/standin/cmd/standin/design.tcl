# Runs a script of the linker on a small model of the design that was linked:
# tclsh design.tcl <record> <model> <script>. The model is Tcl that calls
# standin::instance, standin::stream and standin::ram.

namespace eval standin {
    variable out [open [lindex $argv 0] w]
    variable interface {}  ;# pin -> net
    variable nets {}       ;# net -> pins
    variable pins {}       ;# pins of cells that scripts have made: checked against their ports
    variable cells {}
    variable wires {}      ;# pin -> net, of clocks and resets
    variable part ""
    variable rams {}
    variable count 0
    array set property {}

    proc record args {
        variable out
        puts $out [join [lmap word $args {string map [list \n \x1e \x1f ""] $word}] \x1f]
    }
    proc instance {name streams} {
        variable cells; variable interface; variable wires
        dict set cells $name 1
        foreach s $streams { dict set interface $name/$s "" }
        dict set wires $name/ap_clk clk_kernel
        dict set wires $name/ap_rst_n rst_kernel
    }
    proc stream {from to} {
        variable nets; variable interface; variable count
        set net net_[incr count]
        dict set nets $net [list $from $to]
        dict set interface $from $net
        dict set interface $to $net
    }
    proc ram {name values} {
        variable rams; variable property
        lappend rams $name
        set property($name,NAME) $name
        set property($name,REF_NAME) [regsub {_X.*} [dict get $values LOC] ""]
        dict for {key value} $values { set property($name,[string toupper $key]) $value }
    }
    proc cell {name} {
        variable rams; variable property
        lappend rams $name
        set property($name,NAME) $name
        set property($name,REF_NAME) ""
    }
    # Options that take no word, options that take one, and the rest.
    proc arguments {words flags takes} {
        set given {}
        set rest {}
        for {set i 0} {$i < [llength $words]} {incr i} {
            set w [lindex $words $i]
            if {$w in $flags} { dict set given $w 1; continue }
            if {$w in $takes} { dict set given $w [lindex $words [incr i]]; continue }
            if {[string match -?* $w]} { return -code error "ERROR: \[Common 17-170\] Unknown option '$w'" }
            lappend rest $w
        }
        return [list $given $rest]
    }
    proc plain path { return [string trimleft $path /] }
    # Pins of cells that a script has made are there as their configuration says.
    proc made pin {
        variable cells; variable property; variable interface; variable wires
        lassign [split $pin /] cell name
        if {![dict exists $cells $cell] || [dict get $cells $cell] == 1} { return 0 }
        if {$name in {aclk aresetn s_axi_ctrl_aclk s_axi_ctrl_aresetn}} {
            if {![dict exists $wires $pin]} { dict set wires $pin "" }
            return 1
        }
        if {[regexp {^([SM])(\d\d)_AXIS$} $name all side n]} {
            set key $cell,CONFIG.NUM_[string map {S SI M MI} $side]
            if {![info exists property($key)] || [scan $n %d] >= $property($key)} { return 0 }
            if {![dict exists $interface $pin]} { dict set interface $pin "" }
            return 1
        }
        return 0
    }
    proc finish {} {
        variable nets; variable interface; variable out
        dict for {net pins} $nets { record net {*}$pins }
        dict for {pin net} $interface { if {$net eq ""} { record open $pin } }
        close $out
    }
}

proc get_property args {
    lassign [standin::arguments $args {-quiet} {}] given words
    lassign $words name object
    set key $object,[string toupper $name]
    if {[info exists standin::property($key)]} { return $standin::property($key) }
    return ""
}
proc set_property args {
    lassign [standin::arguments $args {-quiet} {-dict}] given words
    if {[dict exists $given -dict]} { set pairs [dict get $given -dict]; set object [lindex $words 0] } else { lassign $words name value object; set pairs [list $name $value] }
    if {$object eq ""} { return -code error "ERROR: \[Common 17-55\] 'set_property' expects at least one object." }
    foreach {name value} $pairs { set standin::property($object,[string toupper $name]) $value }
    standin::record set_property $object {*}$pairs
}
proc open_checkpoint file {
    if {![file exists $file]} { return -code error "ERROR: \[Common 17-55\] there is no checkpoint $file" }
    standin::record open_checkpoint $file
}
proc current_design args { return standin_design }
proc current_bd_design args { return ulp }
proc get_cells args {
    lassign [standin::arguments $args {-quiet -hierarchical -hier} {-filter -of_objects}] given words
    if {[dict exists $given -filter]} {
        if {![regexp {^\s*(REF_NAME|NAME)\s*=~\s*(\S+?)\s*$} [dict get $given -filter] all key pattern]} {
            return -code error "the stand-in knows no filter [dict get $given -filter]"
        }
        return [lmap cell $standin::rams { if {![string match $pattern $standin::property($cell,$key)]} continue; set cell }]
    }
    return [lsearch -all -inline -glob $standin::rams [lindex $words 0]]
}
proc get_bd_cells args {
    lassign [standin::arguments $args {-quiet -hierarchical} {-filter -of_objects}] given words
    if {[llength $words] == 0} { return [lmap c [dict keys $standin::cells] {string cat / $c}] }
    return [lmap c [dict keys $standin::cells [standin::plain [lindex $words 0]]] {string cat / $c}]
}
proc get_bd_intf_pins args {
    lassign [standin::arguments $args {-quiet} {-filter -of_objects}] given words
    if {[dict exists $given -of_objects]} {
        set net [dict get $given -of_objects]
        if {[dict exists $standin::nets $net]} { return [lmap p [dict get $standin::nets $net] {string cat / $p}] }
        return {}
    }
    set pin [standin::plain [lindex $words 0]]
    standin::made $pin
    return [lmap p [dict keys $standin::interface $pin] {string cat / $p}]
}
proc get_bd_intf_nets args {
    lassign [standin::arguments $args {-quiet} {-of_objects}] given words
    if {[dict exists $given -of_objects]} {
        set pin [standin::plain [dict get $given -of_objects]]
        if {[dict exists $standin::interface $pin] && [dict get $standin::interface $pin] ne ""} { return [dict get $standin::interface $pin] }
        return {}
    }
    return [dict keys $standin::nets]
}
proc get_bd_pins args {
    lassign [standin::arguments $args {-quiet} {-filter -of_objects}] given words
    set pin [standin::plain [lindex $words 0]]
    standin::made $pin
    return [lmap p [dict keys $standin::wires $pin] {string cat / $p}]
}
proc get_bd_nets args {
    lassign [standin::arguments $args {-quiet} {-of_objects}] given words
    if {![dict exists $given -of_objects]} { return [lsort -unique [dict values $standin::wires]] }
    set pin [standin::plain [dict get $given -of_objects]]
    if {[dict exists $standin::wires $pin] && [dict get $standin::wires $pin] ne ""} { return [dict get $standin::wires $pin] }
    return {}
}
proc get_bd_ports args { return {} }
proc get_bd_intf_ports args { return {} }
proc delete_bd_objs args {
    foreach net [concat {*}$args] {
        if {![dict exists $standin::nets $net]} { return -code error "ERROR: \[Common 17-55\] '$net' is no object of the design" }
        foreach pin [dict get $standin::nets $net] { dict set standin::interface $pin "" }
        dict unset standin::nets $net
    }
}
proc create_bd_cell args {
    lassign [standin::arguments $args {-quiet} {-type -vlnv -reference}] given words
    set name [standin::plain [lindex $words 0]]
    if {[dict exists $standin::cells $name]} { return -code error "ERROR: \[BD 5-215\] there is already a cell $name" }
    dict set standin::cells $name [dict get $given -vlnv]
    standin::record create_bd_cell $name [dict get $given -vlnv]
    return $name
}
proc connect_bd_intf_net args {
    lassign [standin::arguments $args {-quiet} {-intf_net}] given words
    set pins [lmap p $words {standin::plain $p}]
    foreach pin $pins {
        if {![dict exists $standin::interface $pin] && ![standin::made $pin]} { return -code error "ERROR: \[BD 5-3\] Error: there is no interface pin $pin" }
        if {[dict get $standin::interface $pin] ne ""} { return -code error "ERROR: \[BD 41-171\] The interface pin $pin is connected already" }
    }
    if {[llength $pins] != 2} { return -code error "ERROR: \[BD 5-3\] an interface net has two ends, not [llength $pins]" }
    set standin::made_nets [incr standin::count]
    standin::stream {*}$pins
}
proc connect_bd_net args {
    lassign [standin::arguments $args {-quiet} {-net}] given words
    foreach p $words {
        set pin [standin::plain $p]
        if {![dict exists $standin::wires $pin] && ![standin::made $pin]} { return -code error "ERROR: \[BD 5-4\] Error: there is no pin $pin" }
        dict set standin::wires $pin [expr {[dict exists $given -net] ? [dict get $given -net] : "wire_[incr standin::count]"}]
    }
}
foreach command {report_timing_summary report_utilization report_power report_clocks report_qor_suggestions} {
    proc $command args [string map [list @ $command] {
        set at [lsearch -exact $args -file]
        if {$at >= 0} { standin::record @ [lindex $args $at+1] {*}[lreplace $args $at $at+1] }
    }]
}
foreach command {save_bd_design validate_bd_design regenerate_bd_layout assign_bd_address set_param set_msg_config create_bd_port create_bd_intf_port make_bd_pins_external make_bd_intf_pins_external} {
    proc $command args [list apply {{name} { return "" }} $command]
}

rename exit standin::leave
proc exit {{status 0}} {
    if {$status == 0} { standin::finish }
    standin::leave $status
}
source [lindex $argv 1]
set standin_script [lindex $argv 2]
if {[catch {source $standin_script} message options]} {
    puts "ERROR: $message"
    puts [dict get $options -errorinfo]
    standin::leave 1
}
exit 0
