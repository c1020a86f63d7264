package main

// hlsCommands are the Tcl commands of vitis_hls (UG1399, "Tcl Commands").
const hlsCommands = `
close_project close_solution config_array_partition config_compile config_dataflow config_debug config_export
config_interface config_op config_rtl config_schedule config_storage config_unroll cosim_design create_clock
csim_design csynth_design enable_beta_device export_design get_clock_period get_clock_uncertainty get_files get_part
get_project get_solution get_top list_part open_project open_solution set_clock_uncertainty set_part set_top
set_directive_interface set_directive_pipeline set_directive_dataflow set_directive_unroll
`

// vivadoCommands are the commands of vivado that scripts may call (UG835, and UG1118
// for ipx::).
const vivadoCommands = `
add_files_to_project apply_bd_automation assign_bd_address close_project close_sim connect_bd_intf_net
connect_bd_net create_bd_cell create_bd_design create_bd_intf_pin create_bd_intf_port create_bd_pin create_bd_port
create_bd_addr_seg create_clock create_fileset create_ip create_project current_bd_design current_bd_instance
current_project delete_bd_objs disconnect_bd_intf_net disconnect_bd_net export_ip_user_files generate_target
get_bd_addr_segs get_bd_addr_spaces get_bd_cells get_bd_intf_nets get_bd_intf_pins get_bd_intf_ports get_bd_nets
get_bd_pins get_bd_ports get_cells get_clocks get_files get_filesets get_ips get_nets get_param get_parts get_pins
get_property get_runs import_files import_ip ipx::add_address_block ipx::add_address_space ipx::add_bus_interface
ipx::add_bus_parameter ipx::add_field ipx::add_file ipx::add_file_group ipx::add_memory_map ipx::add_port_map
ipx::add_register ipx::add_register_parameter ipx::add_subcore ipx::associate_bus_interfaces ipx::check_integrity
ipx::create_xgui_files ipx::current_core ipx::edit_ip_in_project ipx::get_address_blocks ipx::get_address_spaces
ipx::get_bus_interfaces ipx::get_bus_parameters ipx::get_file_groups ipx::get_files ipx::get_memory_maps
ipx::get_port_maps ipx::get_ports ipx::get_registers ipx::get_user_parameters ipx::infer_bus_interface
ipx::infer_bus_interfaces ipx::merge_project_changes ipx::package_project ipx::remove_address_block
ipx::remove_address_space ipx::remove_bus_interface ipx::remove_bus_parameter ipx::remove_file
ipx::remove_memory_map ipx::remove_user_parameter ipx::save_core ipx::unload_core ipx::update_checksums launch_runs
list_property make_wrapper move_bd_cells open_bd_design open_project opt_design package_xo place_design read_ip
regenerate_bd_layout report_timing_summary report_utilization reset_run route_design save_bd_design set_msg_config
set_param synth_design synth_ip update_compile_order update_ip_catalog upgrade_ip validate_bd_design validate_ip
wait_on_run write_bd_tcl write_bitstream write_checkpoint write_mem_info write_project_tcl
`
