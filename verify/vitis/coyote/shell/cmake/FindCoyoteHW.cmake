# Stands in for the package of the Coyote shell: the options that it has (those of
# cmake/FindCoyoteHW.cmake at the revision that the platform names), the macros that an
# application calls, in their order, and targets that run Vivado.

foreach(option
    FDEV_NAME N_REGIONS BUILD_STATIC BUILD_SHELL BUILD_APP SIM_SCR_PATH EN_STRM N_STRM_AXI EN_MEM N_CARD_AXI MEM_TYPE N_DDR_CHAN
    DDR_AUTO DDR_FRAG HBM_SPLIT TLBS_S TLBS_A TLBS_BITS TLBL_S TLBL_A TLBL_BITS EN_NRU N_TLB_ACTV EN_RDMA N_RDMA_AXI EN_TCP N_TCP_AXI
    EN_NET_0 EN_NET_1 PMTU_BYTES EN_PR N_CONFIG FPLAN_PATH EOS_TIME ACLK_F EN_NCLK NCLK_F EN_UCLK UCLK_F HCLK_F HLS_CLOCK_UNCERTAINTY
    EN_STATS EN_AVX EN_WB STATIC_PROBE SHELL_PROBE COMP_CORES BUILD_OPT STATIC_PATH SHELL_PATH N_XCHAN N_OUTSTANDING NR_ST_S0 NR_ST_S1
    NR_SH_S0 NR_SH_S1 NR_DH_S0 NR_DH_S1 NR_DC_S0 NR_DC_S1 NR_DN_S0 NR_DN_S1 NR_N_S0 NR_N_S1 NR_N_S2 NR_CC NR_SD NR_DD NR_PR NR_NST
    NR_XST NR_E_S0 NR_E_S1 NET_DROP EN_XTERM LOAD_APPS)
    set(${option} "default" CACHE STRING "")
    list(APPEND COYOTE_OPTIONS ${option})
endforeach()
set(CoyoteHW_FOUND 1)

macro(validation_checks_hw)
    if(NOT DEFINED CYT_DIR OR NOT EXISTS ${CYT_DIR}/cmake/FindCoyoteHW.cmake)
        message(FATAL_ERROR "Coyote directory not set.")
    endif()
    if(NOT PROJECT_NAME)
        message(FATAL_ERROR "No project.")
    endif()
    set(CHECKED 1)
endmacro()

macro(load_apps)
    if(NOT CHECKED)
        message(FATAL_ERROR "Not checked.")
    endif()
    cmake_parse_arguments(APPS "" "" "VFPGA_C0_0" ${ARGN})
    if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${APPS_VFPGA_C0_0}/vfpga_top.svh OR APPS_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "No application.")
    endif()
    set(LOAD_APPS 1)
endmacro()

macro(create_hw)
    file(WRITE ${CMAKE_BINARY_DIR}/options.txt "")
    foreach(option ${COYOTE_OPTIONS})
        file(APPEND ${CMAKE_BINARY_DIR}/options.txt "${option}=${${option}}\n")
    endforeach()
    add_custom_target(project COMMAND vivado -mode tcl -source cr_user.tcl -notrace COMMAND ${CMAKE_COMMAND} -E touch project.done)
    add_custom_target(bitgen COMMAND ${CMAKE_COMMAND} -E cat project.done
        COMMAND ${CMAKE_COMMAND} -E make_directory bitstreams checkpoints
        COMMAND vivado -mode tcl -source bitgen.tcl -notrace)
endmacro()
