# A model of Vivado in memory: commands check their options against what is
# documented, and what they do is written out at the end.

namespace eval model {
    variable commands {} ;# what was called, in order
    variable options     ;# of each command, what it takes
    variable properties  ;# of each object, its properties
    variable kinds       ;# of each object, what it is
    variable writable    ;# of each kind, the properties that may be set
    variable state {}    ;# what is written out
    array set options {}
    array set properties {}
    array set kinds {}
    array set writable {}
}

# A command that nobody has written down is a mistake in the script.
rename unknown model::unknown_to_tcl
proc unknown {args} {
    error "invalid command name \"[lindex $args 0]\""
}

# command says what a command of Vivado takes: flags without a value, options with
# one, and how many arguments. Its body finds the options in the array "option" and
# the arguments in "arguments".
proc model::command {name flags valued least most body} {
    variable options
    set options($name) [list $flags $valued $least $most]
    proc ::model::do_[string map {:: _} $name] {words} "
        array set option {}
        set arguments \[model::parse [list $name] \$words option\]
        $body
    "
    if {[string match *::* $name]} {
        namespace eval ::[namespace qualifiers $name] {}
    }
    proc ::$name {args} "
        lappend ::model::commands \[concat [list $name] \$args\]
        ::model::do_[string map {:: _} $name] \$args
    "
}

proc model::parse {name words to} {
    variable options
    upvar 1 $to option
    lassign $options($name) flags valued least most
    set arguments {}
    while {[llength $words]} {
        set words [lassign $words word]
        if {![regexp {^-([a-z_]+)$} $word all key]} {
            lappend arguments $word
        } elseif {$key in {quiet verbose}} {
            set option($key) 1
        } elseif {$key in $flags} {
            set option($key) 1
        } elseif {$key in $valued} {
            if {![llength $words]} {
                error "$name: missing value for option '-$key'"
            }
            if {[info exists option($key)]} {
                error "$name: option '-$key' given twice"
            }
            set words [lassign $words option($key)]
        } else {
            error "$name: unknown option '-$key'"
        }
    }
    if {[llength $arguments] < $least || $most >= 0 && [llength $arguments] > $most} {
        error "$name: [llength $arguments] arguments, and not $least to $most: $arguments"
    }
    return $arguments
}

# make adds an object of a kind; its name is what scripts see of it.
proc model::make {kind name values} {
    variable kinds
    variable properties
    if {[info exists kinds($name)]} {
        error "there is a $kinds($name) $name already"
    }
    set kinds($name) $kind
    set properties($name) $values
    return $name
}

proc model::remove {name} {
    variable kinds
    variable properties
    unset kinds($name) properties($name)
}

proc model::all {kind {pattern *}} {
    variable kinds
    set found {}
    foreach name [lsort -dictionary [array names kinds]] {
        if {$kinds($name) eq $kind && [string match $pattern $name]} {
            lappend found $name
        }
    }
    return $found
}

proc model::is {kind name} {
    variable kinds
    return [expr {[info exists kinds($name)] && $kinds($name) eq $kind}]
}

proc model::need {kind name} {
    if {![is $kind $name]} {
        error "there is no $kind '$name'"
    }
    return $name
}

proc model::get {name property} {
    variable properties
    if {[dict exists $properties($name) $property]} {
        return [dict get $properties($name) $property]
    }
    return ""
}

proc model::put {name property value} {
    variable properties
    dict set properties($name) $property $value
}

# settable says which properties of a kind may be set, as patterns.
proc model::settable {kind patterns} {
    variable writable
    set writable($kind) $patterns
}

proc model::set_one {name value object} {
    variable kinds
    variable writable
    if {![info exists kinds($object)]} {
        error "set_property: '$object' is no object"
    }
    set kind $kinds($object)
    foreach pattern $writable($kind) {
        if {[string match $pattern $name]} {
            put $object $name $value
            if {[llength [info procs ::model::changed_$kind]]} {
                changed_$kind $object $name $value
            }
            return
        }
    }
    error "set_property: a $kind has no property '$name' to set"
}

model::command set_property {} {dict} 1 3 {
    if {[info exists option(dict)]} {
        if {[llength $option(dict)] % 2 || [llength $arguments] != 1} {
            error "set_property -dict: a list of names and values, and an object"
        }
        foreach {name value} $option(dict) {
            ::model::set_one $name $value [lindex $arguments 0]
        }
        return
    }
    if {[llength $arguments] != 3} {
        error "set_property: name, value and object, and not '$arguments'"
    }
    lassign $arguments name value object
    ::model::set_one $name $value $object
}

# Properties that do not exist are empty (UG835, get_property).
model::command get_property {} {} 2 2 {
    lassign $arguments name object
    if {![info exists ::model::kinds($object)]} {
        error "get_property: '$object' is no object"
    }
    if {[string toupper $name] eq "NAME"} {
        set shown [::model::get $object NAME]
        return [expr {$shown eq "" ? $object : $shown}]
    }
    return [::model::get $object $name]
}

# What is written out: JSON, objects as their kind, name and properties.
proc model::json_text {text} {
    return "\"[string map [list \\ \\\\ \" \\\" \n \\n \t \\t \r \\r] $text]\""
}

proc model::json_list {items} {
    return "\[[join $items ,]\]"
}

proc model::write_out {file} {
    variable commands
    variable kinds
    variable properties
    set calls {}
    foreach call $commands {
        set words {}
        foreach word $call {
            lappend words [json_text $word]
        }
        lappend calls [json_list $words]
    }
    set objects {}
    foreach name [lsort -dictionary [array names kinds]] {
        set values {}
        foreach {key value} $properties($name) {
            lappend values "[json_text $key]:[json_text $value]"
        }
        lappend objects "{\"kind\":[json_text $kinds($name)],\"name\":[json_text $name],\"properties\":{[join $values ,]}}"
    }
    set out [open $file w]
    puts -nonewline $out "{\"commands\":[json_list $calls],\"objects\":[json_list $objects]}"
    close $out
}
