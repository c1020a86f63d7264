# Projects and their files (UG835).

namespace eval model {
    variable project ""
    settable fileset {top}
    settable project {}
    settable file {used_in file_type}
    settable ip {CONFIG.*}
}

model::command create_project {force in_memory ip} {part} 0 2 {
    if {$::model::project ne ""} {
        error "create_project: project $::model::project is open"
    }
    lassign $arguments name directory
    if {![info exists option(part)] || ![regexp {^xc[a-z0-9]+-[a-z]+[0-9]+-[0-9][A-Za-z]*-[a-z]$} $option(part)]} {
        error "create_project: -part does not name a part"
    }
    if {[file exists [file join $directory $name.xpr]] && ![info exists option(force)]} {
        error "create_project: project $name exists in $directory"
    }
    file mkdir $directory
    close [open [file join $directory $name.xpr] w]
    set ::model::project $name
    ::model::make project project:$name [list NAME $name PART $option(part) DIRECTORY $directory]
    ::model::make fileset sources_1 {FILES {}}
    return project:$name
}

model::command close_project {delete} {} 0 0 {
    if {$::model::project eq ""} {
        error "close_project: no project is open"
    }
    set ::model::project ""
}

model::command add_files {norecurse force} {fileset} 1 -1 {
    if {$::model::project eq ""} {
        error "add_files: no project is open"
    }
    set to [expr {[info exists option(fileset)] ? $option(fileset) : "sources_1"}]
    foreach name $arguments {
        foreach path $name {
            if {![file isfile $path]} {
                error "add_files: there is no file $path"
            }
            if {[file extension $path] ni {.v .sv .mem .xdc}} {
                error "add_files: nobody knows what $path is"
            }
            ::model::make file [file normalize $path] [list NAME [file normalize $path]]
            ::model::put $to FILES [concat [::model::get $to FILES] [list [file normalize $path]]]
        }
    }
}

model::command get_filesets {} {} 0 1 { return [::model::all fileset [lindex [concat $arguments *] 0]] }
model::command current_fileset {} {} 0 1 { return [::model::need fileset sources_1] }
model::command current_project {} {} 0 1 { return [::model::need project project:$::model::project] }

model::command update_compile_order {force} {fileset} 0 0 {
    ::model::need fileset $option(fileset)
}

# The vendor's processor, as an IP of the project.
model::command get_ipdefs {all} {filter} 0 1 { return xilinx.com:ip:microblaze_riscv:1.0 }
model::command create_ip {} {name vendor library version module_name dir} 0 0 {
    ::model::make ip ip:$option(module_name) [list NAME $option(module_name) VLNV $option(vendor):$option(library):$option(name)]
}

# A logic analyzer has as many probes as it says, each 1 to 1024 bits wide (PG172).
proc model::changed_ip {ip name value} {
    if {![string match *:ila [get $ip VLNV]]} {
        return
    }
    foreach {pattern low high} {
        C_NUM_OF_PROBES 1 1024 C_PROBE*_WIDTH 1 1024 C_DATA_DEPTH 1024 131072 C_INPUT_PIPE_STAGES 0 6
        C_EN_STRG_QUAL 0 1 ALL_PROBE_SAME_MU_CNT 1 16
    } {
        if {[string match CONFIG.$pattern $name] && $value >= $low && $value <= $high
            && (![regexp {PROBE(\d+)_} $name all n] || $n < [get $ip CONFIG.C_NUM_OF_PROBES])} {
            return
        }
    }
    error "set_property: an ila of [get $ip CONFIG.C_NUM_OF_PROBES] probes has no $name = $value"
}
model::command get_ips {} {} 0 1 { return [::model::all ip ip:[lindex [concat $arguments *] 0]] }
model::command list_property {} {} 1 2 { return [dict keys $::model::properties([lindex $arguments 0])] }
model::command generate_target {force} {} 2 2 { ::model::need ip [lindex $arguments 1] }

# The ports of a module in Verilog, each {direction width name}, and its parameters.
proc model::module {path name} {
    set in [open $path]
    set text [read $in]
    close $in
    regsub -all {//[^\n]*} $text "" text
    if {![regexp "\\mmodule\\s+$name\\s*(?:#\\s*\\((\[^)\]*)\\)\\s*)?\\((\[^;\]*)\\)\\s*;" $text all parameters list]} {
        return {}
    }
    set ports {}
    foreach item [split $list ,] {
        if {![regexp {^\s*(input|output)\s+wire\s+(?:\[(\d+):0\]\s+)?(\w+)\s*$} $item all direction high port]} {
            error "$path: no port of Verilog in '$item'"
        }
        lappend ports $port [list $direction [expr {$high eq "" ? 1 : $high + 1}]]
    }
    set names {}
    foreach item [split $parameters ,] {
        if {[regexp {parameter\s+(\w+)\s*=\s*(\S+)} $item all parameter value]} {
            lappend names $parameter $value
        }
    }
    return [list $ports $names]
}
