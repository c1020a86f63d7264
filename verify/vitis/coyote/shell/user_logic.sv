// The application's module as the shell has it: its ports, and vfpga_top.svh inside.
import lynxTypes::*;

module design_user_logic_c0_0 (
    AXI4L.s     axi_ctrl,
    metaIntf.m  notify,
    metaIntf.m  sq_rd,
    metaIntf.m  sq_wr,
    metaIntf.s  cq_rd,
    metaIntf.s  cq_wr,
    metaIntf.s  rq_rd,
    metaIntf.s  rq_wr,
    AXI4SR.s    axis_host_recv [N_STRM_AXI],
    AXI4SR.m    axis_host_send [N_STRM_AXI],
    AXI4SR.s    axis_card_recv [N_CARD_AXI],
    AXI4SR.m    axis_card_send [N_CARD_AXI],
    AXI4SR.s    axis_rreq_recv [N_RDMA_AXI],
    AXI4SR.m    axis_rreq_send [N_RDMA_AXI],
    AXI4SR.s    axis_rrsp_recv [N_RDMA_AXI],
    AXI4SR.m    axis_rrsp_send [N_RDMA_AXI],
    input  wire aclk,
    input  wire [0:0] aresetn
);
`include "vfpga_top.svh"
endmodule

module user_wrapper (input wire aclk, input wire [0:0] aresetn);
    AXI4L axi_ctrl (.aclk);
    metaIntf #(.STYPE(irq_not_t)) notify (.aclk);
    metaIntf #(.STYPE(req_t)) sq_rd (.aclk);
    metaIntf #(.STYPE(req_t)) sq_wr (.aclk);
    metaIntf #(.STYPE(ack_t)) cq_rd (.aclk);
    metaIntf #(.STYPE(ack_t)) cq_wr (.aclk);
    metaIntf #(.STYPE(req_t)) rq_rd (.aclk);
    metaIntf #(.STYPE(req_t)) rq_wr (.aclk);
    AXI4SR axis_host_recv [N_STRM_AXI] (.aclk);
    AXI4SR axis_host_send [N_STRM_AXI] (.aclk);
    AXI4SR axis_card_recv [N_CARD_AXI] (.aclk);
    AXI4SR axis_card_send [N_CARD_AXI] (.aclk);
    AXI4SR axis_rreq_recv [N_RDMA_AXI] (.aclk);
    AXI4SR axis_rreq_send [N_RDMA_AXI] (.aclk);
    AXI4SR axis_rrsp_recv [N_RDMA_AXI] (.aclk);
    AXI4SR axis_rrsp_send [N_RDMA_AXI] (.aclk);
    design_user_logic_c0_0 logic_c0_0 (.*);
endmodule
