# Runs a script of vivado or vitis_hls with procedures that record what they are
# called with: tclsh vivado.tcl <record> <commands> <script> <arguments>.

namespace eval standin {
    variable out [open [lindex $argv 0] w]
    fconfigure $out -encoding utf-8
    variable known [read [set f [open [lindex $argv 1]]]]
    close $f
    variable made {}
    proc record args {
        variable out
        puts $out [join [lmap word $args {string map [list \n \x1e \x1f ""] $word}] \x1f]
        flush $out
    }
    # What commands return: a handle that has the name of the thing.
    proc answer {name words} {
        variable made
        set plain [lsearch -all -inline -not $words -*]
        set first [lindex $plain 0]
        switch -glob $name {
            ipx::current_core - current_project - current_bd_design { return $name }
            ipx::add_* - create_* { dict set made $first 1; return $first }
            ipx::get_* - get_* {
                if {$name eq "get_property"} { return [lindex $plain 1] }
                if {[string match -* [lindex $words 0]] || $first eq ""} { return {} }
                return $first
            }
        }
        return {}
    }
}

rename unknown standin::other
proc unknown {name args} {
    set name [string trimleft $name :]
    if {$name ni $standin::known} {
        return -code error "invalid command name \"$name\""
    }
    standin::record $name {*}$args
    return [standin::answer $name $args]
}

proc add_files args {
    set files {}
    for {set i 0} {$i < [llength $args]} {incr i} {
        set word [lindex $args $i]
        switch -- $word {
            -norecurse - -tb - -quiet - -force {}
            -cflags - -csimflags - -fileset - -of_objects { incr i }
            default {
                if {[string match -* $word]} {
                    puts "ERROR: \[Common 17-170\] Unknown option '$word', please type 'add_files -help' for usage info."
                    return -code error "bad option"
                }
                lappend files {*}$word
            }
        }
    }
    foreach file $files {
        if {![file exists $file]} {
            puts "ERROR: \[Vivado 12-172\] File or Directory '$file' does not exist"
            return -code error "missing file"
        }
    }
    standin::record add_files {*}$args
    standin::record files {*}$files
    return $files
}

# What is set can be read.
proc set_property args {
    standin::record set_property {*}$args
    set plain [lsearch -all -inline -not $args -dict*]
    if {[llength $plain] == 3} { set standin::property([lindex $plain 2],[string toupper [lindex $plain 0]]) [lindex $plain 1] }
}

set standin_script [lindex $argv 2]
set argv [lrange $argv 3 end]
set argc [llength $argv]
set argv0 $standin_script
if {[catch {source $standin_script} message options]} {
    puts [dict get $options -errorinfo]
    exit 1
}
exit 0
