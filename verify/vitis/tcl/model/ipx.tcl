# The IP packager (UG1118; its commands as "help ipx::*" of Vivado lists them) and
# package_xo (UG1393, "package_xo Command").

namespace eval model {
    variable core ""
    variable ports {} ;# of the top module, by name: direction and width
    settable core {
        name version vendor library core_revision display_name description supported_families auto_family_support_level
        sdx_kernel sdx_kernel_type vitis_drc ipi_drc xpm_libraries
    }
    settable bus {bus_type_vlnv abstraction_type_vlnv interface_mode master_address_space_ref slave_memory_map_ref}
    settable port_map {physical_name}
    settable bus_parameter {value value_source}
    settable memory_map {}
    settable address_space {width range}
    settable address_block {usage base_address range width}
    settable register {address_offset size description access}
    settable register_parameter {value}
    settable field {bit_offset bit_width access description}

    # Of each bus definition: what it must have, what it may have, and what its master
    # drives (PG010 and IHI0022, IHI0051).
    variable definitions {
        axis {
            {TVALID} {TREADY TDATA TSTRB TKEEP TLAST TID TDEST TUSER}
            {TVALID TDATA TSTRB TKEEP TLAST TID TDEST TUSER}
        }
        aximm {
            {AWVALID AWREADY AWADDR WVALID WREADY WDATA BVALID BREADY ARVALID ARREADY ARADDR RVALID RREADY RDATA}
            {WSTRB BRESP RRESP AWLEN AWSIZE AWBURST WLAST ARLEN ARSIZE ARBURST RLAST AWPROT ARPROT AWCACHE ARCACHE AWID ARID BID RID AWLOCK ARLOCK AWQOS ARQOS AWREGION ARREGION}
            {AWVALID AWADDR AWLEN AWSIZE AWBURST AWPROT AWCACHE AWID AWLOCK AWQOS AWREGION WVALID WDATA WSTRB WLAST BREADY
             ARVALID ARADDR ARLEN ARSIZE ARBURST ARPROT ARCACHE ARID ARLOCK ARQOS ARREGION RREADY}
        }
        clock {{CLK} {} {CLK}}
        reset {{RST} {} {RST}}
    }
}

model::command ipx::package_project {import_files force generated_files} {root_dir vendor library taxonomy module set_current} 0 1 {
    set top [::model::get sources_1 top]
    foreach path [::model::get sources_1 FILES] {
        if {[file extension $path] eq ".v"} {
            set found [::model::module $path $top]
            if {$found ne ""} break
        }
    }
    if {![info exists found] || $found eq ""} {
        error "ipx::package_project: no file in Verilog has the module '$top' (UG1118: the top is in Verilog or VHDL)"
    }
    lassign $found ::model::ports parameters
    file mkdir $option(root_dir)
    set ::model::core [::model::make core core [list name $top vendor $option(vendor) library $option(library) ROOT $option(root_dir) TOP $top \
        PARAMETERS $parameters FILES [::model::get sources_1 FILES] SAVED 0 IMPORTED [info exists option(import_files)]]]
    # What the packager makes of names, rightly or not.
    dict for {port is} $::model::ports {
        if {[regexp {^(.*)_(tvalid|awvalid)$} $port all bus]} {
            ::model::make bus bus:$bus [list NAME $bus]
            if {[string match *awvalid $port]} {
                ::model::make memory_map map:$bus [list NAME $bus]
                ::model::make address_space space:$bus [list NAME $bus]
            }
        }
    }
    ::model::make bus bus:ap_clk {NAME ap_clk}
    return core
}

model::command ipx::current_core {} {} 0 1 { return [::model::need core core] }

# sub is an object that belongs to another: its name is unique below that.
proc model::sub {kind prefix owner name} {
    return [make $kind $prefix:[string map {: /} $owner]/$name [list NAME $name OWNER $owner]]
}

foreach {what kind prefix} {bus_interface bus bus memory_map memory_map map address_space address_space space} {
    model::command ipx::add_$what {} {} 2 2 [string map [list KIND $kind PREFIX $prefix] {
        lassign $arguments name core
        ::model::need core $core
        return [::model::make KIND PREFIX:$name [list NAME $name]]
    }]
    model::command ipx::remove_$what {} {} 2 2 [string map [list KIND $kind PREFIX $prefix] {
        lassign $arguments name core
        ::model::need core $core
        ::model::remove [::model::need KIND PREFIX:$name]
    }]
    model::command ipx::get_${what}s {} {of_objects} 0 1 [string map [list KIND $kind PREFIX $prefix] {
        ::model::need core $option(of_objects)
        return [::model::all KIND PREFIX:[lindex [concat $arguments *] 0]]
    }]
}

model::command ipx::add_port_map {} {} 2 2 {
    lassign $arguments name bus
    ::model::need bus $bus
    set kind [::model::definition $bus]
    lassign [dict get $::model::definitions $kind] must may
    if {$name ni [concat $must $may]} {
        error "ipx::add_port_map: $kind has no port $name"
    }
    return [::model::sub port_map port $bus $name]
}

# The definition of a bus: the same in its type and its abstraction.
proc model::definition {bus} {
    if {![regexp {^xilinx.com:(signal|interface):(\w+):1\.0$} [get $bus bus_type_vlnv] all group kind] || ![dict exists $::model::definitions $kind]} {
        error "$bus has no bus type, but '[get $bus bus_type_vlnv]'"
    }
    if {($group eq "signal") != ($kind in {clock reset}) || [get $bus abstraction_type_vlnv] ne "xilinx.com:$group:${kind}_rtl:1.0"} {
        error "$bus is '[get $bus bus_type_vlnv]' and '[get $bus abstraction_type_vlnv]'"
    }
    return $kind
}

proc model::changed_port_map {map name value} {
    if {![dict exists $::model::ports $value]} {
        error "the top module has no port $value"
    }
    foreach other [all port_map] {
        if {$other ne $map && [get $other physical_name] eq $value} {
            error "$value is in $other and $map"
        }
    }
    set bus [get $map OWNER]
    lassign [dict get $::model::definitions [definition $bus]] must may driven
    lassign [dict get $::model::ports $value] direction width
    set master [expr {[get $bus interface_mode] eq "master"}]
    if {([get $map NAME] in $driven) != ($master == ($direction eq "output"))} {
        error "$value is an $direction, and [get $map NAME] of the [get $bus interface_mode] $bus is not"
    }
    put $map WIDTH $width
}

model::command ipx::add_bus_parameter {} {} 2 2 {
    lassign $arguments name bus
    ::model::need bus $bus
    if {$name ni {POLARITY PROTOCOL DATA_WIDTH ADDR_WIDTH HAS_BURST SUPPORTS_NARROW_BURST FREQ_HZ FREQ_TOLERANCE_HZ TDATA_NUM_BYTES TDEST_WIDTH
            HAS_TKEEP HAS_TLAST HAS_TREADY HAS_TSTRB TID_WIDTH TUSER_WIDTH MAX_BURST_LENGTH NUM_READ_OUTSTANDING NUM_WRITE_OUTSTANDING}} {
        error "ipx::add_bus_parameter: no bus has a parameter $name"
    }
    return [::model::sub bus_parameter parameter $bus $name]
}

model::command ipx::associate_bus_interfaces {remove} {busif clock reset} 1 1 {
    ::model::need core [lindex $arguments 0]
    if {![info exists option(clock)] || [info exists option(busif)] == [info exists option(reset)]} {
        error "ipx::associate_bus_interfaces: -clock with -busif or -reset"
    }
    set clock [::model::need bus bus:$option(clock)]
    if {[::model::definition $clock] ne "clock"} {
        error "ipx::associate_bus_interfaces: $option(clock) is no clock"
    }
    if {[info exists option(reset)]} {
        if {[::model::definition [::model::need bus bus:$option(reset)]] ne "reset"} {
            error "ipx::associate_bus_interfaces: $option(reset) is no reset"
        }
        ::model::put $clock ASSOCIATED_RESET $option(reset)
    } else {
        ::model::need bus bus:$option(busif)
        ::model::put $clock ASSOCIATED_BUSIF [concat [::model::get $clock ASSOCIATED_BUSIF] $option(busif)]
    }
}

model::command ipx::add_address_block {} {} 2 2 { return [::model::sub address_block block [::model::need memory_map [lindex $arguments 1]] [lindex $arguments 0]] }
model::command ipx::add_register {} {} 2 2 { return [::model::sub register register [::model::need address_block [lindex $arguments 1]] [lindex $arguments 0]] }
model::command ipx::add_field {} {} 2 2 { return [::model::sub field field [::model::need register [lindex $arguments 1]] [lindex $arguments 0]] }
model::command ipx::add_register_parameter {} {} 2 2 {
    if {[lindex $arguments 0] ne "ASSOCIATED_BUSIF"} {
        error "ipx::add_register_parameter: [lindex $arguments 0]"
    }
    return [::model::sub register_parameter associated [::model::need register [lindex $arguments 1]] [lindex $arguments 0]]
}

model::command ipx::create_xgui_files {} {} 1 1 { ::model::need core [lindex $arguments 0] }
model::command ipx::update_checksums {} {} 1 1 { ::model::need core [lindex $arguments 0] }

model::command ipx::check_integrity {kernel xrt} {} 1 1 {
    ::model::need core [lindex $arguments 0]
    set mapped {}
    set clocked [::model::get bus:ap_clk ASSOCIATED_BUSIF]
    foreach bus [::model::all bus] {
        set kind [::model::definition $bus]
        set name [::model::get $bus NAME]
        set has {}
        foreach map [::model::all port_map] {
            if {[::model::get $map OWNER] eq $bus} {
                lappend has [::model::get $map NAME]
                lappend mapped [::model::get $map physical_name]
            }
        }
        foreach port [lindex [dict get $::model::definitions $kind] 0] {
            if {$port ni $has} {
                error "ipx::check_integrity: $name has no $port"
            }
        }
        if {$kind in {axis aximm} && [llength [lsearch -all -exact $clocked $name]] != 1} {
            error "ipx::check_integrity: $name has no clock, or several"
        }
        if {$kind eq "aximm"} {
            set reference [expr {[::model::get $bus interface_mode] eq "master" ? "master_address_space_ref" : "slave_memory_map_ref"}]
            set to [expr {$reference eq "master_address_space_ref" ? "space" : "map"}]:[::model::get $bus $reference]
            if {![info exists ::model::kinds($to)]} {
                error "ipx::check_integrity: $name refers to $to, which is not there"
            }
        }
    }
    dict for {port is} $::model::ports {
        if {$port ni $mapped} {
            error "ipx::check_integrity: the port $port belongs to no bus"
        }
    }
    foreach parameter [::model::all register_parameter] {
        ::model::need bus bus:[::model::get $parameter value]
    }
    ::model::put core CHECKED 1
}

model::command ipx::save_core {} {} 1 1 {
    ::model::need core [lindex $arguments 0]
    ::model::put core SAVED 1
    close [open [file join [::model::get core ROOT] component.xml] w]
}

model::command package_xo {force} {kernel_name kernel_xml output_kernel_xml design_xml ip_directory parent_ip_directory kernel_files
        kernel_xml_args kernel_xml_pipes kernel_xml_connections ctrl_protocol xo_path} 0 0 {
    foreach must {kernel_name ip_directory xo_path} {
        if {![info exists option($must)]} {
            error "package_xo: -$must is missing"
        }
    }
    if {![file isfile [file join $option(ip_directory) component.xml]]} {
        error "package_xo: there is no IP in $option(ip_directory)"
    }
    if {[info exists option(kernel_xml)] && ![file isfile $option(kernel_xml)]} {
        error "package_xo: there is no file $option(kernel_xml)"
    }
    if {[file exists $option(xo_path)] && ![info exists option(force)]} {
        error "package_xo: $option(xo_path) exists"
    }
    if {$option(kernel_name) ne [::model::get core name]} {
        error "package_xo: the IP is '[::model::get core name]', and the kernel $option(kernel_name)"
    }
    set out [open $option(xo_path) w]
    puts $out "xo of $option(kernel_name)"
    close $out
    ::model::make xo xo:$option(kernel_name) [list NAME $option(kernel_name) PATH $option(xo_path) XML $option(kernel_xml)]
}
