# Block designs (UG835), and the AXI4-Stream switch (PG085).

namespace eval model {
    settable bd_cell {CONFIG.*}
    settable bd_intf_net {}
    settable bd_net {}
    # What the switch knows, with what it has by default.
    variable switch {
        NUM_SI 2 NUM_MI 1 TDATA_NUM_BYTES 1 HAS_TREADY 1 HAS_TSTRB 0 HAS_TKEEP 0 HAS_TLAST 0 TID_WIDTH 0 TDEST_WIDTH 1 TUSER_WIDTH 0
        ROUTING_MODE 0 DECODER_REG 0 OUTPUT_REG 0 ARB_ALGORITHM 0 ARB_ON_TLAST 0 ARB_ON_MAX_XFERS 1 ARB_ON_NUM_CYCLES 0
    }
}

# bd_kernel adds an instance of a kernel, with its streams {name mode} as v++ does.
proc model::bd_kernel {name streams parameters} {
    set values [list NAME $name]
    dict for {key value} $parameters {
        lappend values CONFIG.$key $value
    }
    make bd_cell /$name [concat $values KERNEL 1]
    foreach {stream mode} $streams {
        make bd_intf_pin /$name/$stream [list MODE $mode]
    }
    foreach pin {ap_clk ap_rst_n} {
        make bd_pin /$name/$pin {}
    }
}

proc model::bd_net {kind name pins} {
    make $kind /$name [list NAME $name]
    foreach pin $pins {
        put $pin NET /$name
    }
}

proc model::net_of {pin} { return [get $pin NET] }

proc model::pins_of {kind net} {
    set pins {}
    foreach pin [all $kind] {
        if {[net_of $pin] eq $net} {
            lappend pins $pin
        }
    }
    return $pins
}

foreach {command kind net_kind} {get_bd_intf_pins bd_intf_pin bd_intf_net get_bd_pins bd_pin bd_net} {
    model::command $command {hierarchical} {of_objects filter} 0 1 [string map [list KIND $kind NETS $net_kind] {
        if {[info exists option(of_objects)]} {
            return [::model::pins_of KIND [::model::need NETS $option(of_objects)]]
        }
        return [::model::all KIND /[string trimleft [lindex $arguments 0] /]]
    }]
}
foreach {command kind pin_kind} {get_bd_intf_nets bd_intf_net bd_intf_pin get_bd_nets bd_net bd_pin} {
    model::command $command {hierarchical} {of_objects filter} 0 1 [string map [list KIND $kind PINS $pin_kind] {
        if {[info exists option(of_objects)]} {
            set net [::model::net_of [::model::need PINS $option(of_objects)]]
            return [expr {$net eq "" ? {} : [list $net]}]
        }
        return [::model::all KIND /[string trimleft [lindex $arguments 0] /]]
    }]
}
model::command get_bd_cells {hierarchical} {of_objects filter} 0 1 {
    return [::model::all bd_cell /[string trimleft [lindex $arguments 0] /]]
}

model::command delete_bd_objs {} {} 1 -1 {
    foreach list $arguments {
        foreach object $list {
            ::model::need bd_intf_net $object
            foreach pin [::model::pins_of bd_intf_pin $object] {
                ::model::put $pin NET ""
            }
            ::model::remove $object
        }
    }
}

model::command create_bd_cell {} {type vlnv reference} 1 1 {
    if {![info exists option(type)] || $option(type) ne "ip"} {
        error "create_bd_cell: -type ip"
    }
    if {![regexp {^xilinx\.com:ip:axis_switch(:1\.1)?$} $option(vlnv)]} {
        error "create_bd_cell: there is no IP $option(vlnv)"
    }
    set cell /[lindex $arguments 0]
    ::model::make bd_cell $cell [list NAME [lindex $arguments 0] VLNV $option(vlnv)]
    dict for {key value} $::model::switch {
        ::model::put $cell CONFIG.$key $value
    }
    foreach pin {aclk aresetn} {
        ::model::make bd_pin $cell/$pin {}
    }
    ::model::switch_pins $cell
    return $cell
}

# A switch has the pins that its numbers of ports say.
proc model::switch_pins {cell} {
    foreach {side count mode} {S NUM_SI slave M NUM_MI master} {
        for {set i 0} {$i < 16} {incr i} {
            set pin $cell/[format %s%02d_AXIS $side $i]
            if {$i < [get $cell CONFIG.$count] && ![is bd_intf_pin $pin]} {
                make bd_intf_pin $pin [list MODE $mode]
            } elseif {$i >= [get $cell CONFIG.$count] && [is bd_intf_pin $pin]} {
                if {[net_of $pin] ne ""} {
                    error "$pin goes while it is connected"
                }
                remove $pin
            }
        }
    }
}

proc model::changed_bd_cell {cell name value} {
    regsub {^CONFIG\.} $name {} key
    if {[get $cell KERNEL] ne ""} {
        if {$key ne "ID" || ![string is integer -strict $value]} {
            error "$cell has no parameter $key"
        }
        return
    }
    if {[regexp {^(\w+)\.VALUE_SRC$} $key all of]} {
        if {![dict exists $::model::switch $of] || $value ni {USER PROPAGATED}} {
            error "$cell: $key = $value"
        }
        return
    }
    if {[regexp {^M(\d\d)_AXIS_(BASE|HIGH)TDEST$} $key all port]} {
        scan $port %d port
        if {$port >= [get $cell CONFIG.NUM_MI] || $value >= 1 << [get $cell CONFIG.TDEST_WIDTH]} {
            error "$cell: $key = $value, with [get $cell CONFIG.NUM_MI] outputs and [get $cell CONFIG.TDEST_WIDTH] bits of TDEST"
        }
        return
    }
    if {![dict exists $::model::switch $key]} {
        error "$cell has no parameter $key"
    }
    switch $key {
        NUM_SI - NUM_MI {
            if {$value < 1 || $value > 16} {
                error "$cell: $key = $value, and it may be 1 to 16"
            }
            switch_pins $cell
        }
        ARB_ON_TLAST {
            if {$value && ![get $cell CONFIG.HAS_TLAST]} {
                error "$cell: ARB_ON_TLAST without HAS_TLAST"
            }
        }
        ARB_ON_MAX_XFERS - ARB_ON_NUM_CYCLES {
            if {$value == 0 && ![get $cell CONFIG.ARB_ON_TLAST]} {
                error "$cell: $key = 0 without ARB_ON_TLAST"
            }
        }
    }
}

model::command connect_bd_intf_net {} {intf_net boundary_type} 2 2 {
    lassign $arguments a b
    foreach pin $arguments {
        ::model::need bd_intf_pin $pin
        if {[::model::net_of $pin] ne ""} {
            error "connect_bd_intf_net: $pin is connected already"
        }
    }
    if {[::model::get $a MODE] eq [::model::get $b MODE]} {
        error "connect_bd_intf_net: $a and $b are both [::model::get $a MODE]"
    }
    set net [string map {/ _} [string trimleft $a /]]
    ::model::bd_net bd_intf_net $net $arguments
    return /$net
}

model::command connect_bd_net {} {net boundary_type} 1 -1 {
    set net [::model::need bd_net $option(net)]
    foreach pin $arguments {
        if {[::model::net_of [::model::need bd_pin $pin]] ne ""} {
            error "connect_bd_net: $pin is connected already"
        }
        ::model::put $pin NET $net
    }
}
