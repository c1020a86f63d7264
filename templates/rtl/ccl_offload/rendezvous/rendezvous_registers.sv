// The processor's registers of windows and announcements.
`default_nettype none

module rendezvous_registers (
    input  wire          clk,
    input  wire          rst,

    input  wire engine_pkg::reg_request_t   reg_request,
    output engine_pkg::reg_response_t       reg_response,
    input  wire engine_pkg::selection_t     selection,
    output engine_pkg::peer_request_t       peer_request,
    input  wire engine_pkg::peer_response_t peer_response,

    // The rank that was looked up.
    output logic         known,
    output logic [15:0]  session,
    input  wire          foreign,       // its session leads to an engine of another make

    // Windows. Held until done.
    output logic         window_valid,
    output logic         window_open,
    output logic         window_shut,   // neither: read
    output logic [4:0]   window,
    output logic [63:0]  window_address,
    output logic [31:0]  window_bytes,
    output logic         window_host,
    input  wire          window_done,
    input  wire  [31:0]  window_arrived,
    input  wire          window_complete,

    // Announcements. Held until done.
    output logic         seek_valid,
    input  wire          seek_done,
    output logic         take_valid,
    input  wire          take_done,
    input  wire          sought,
    input  wire          sought_other,  // not sought: the oldest one is of another collective
    input  wire  [31:0]  sought_count,
    input  wire  [63:0]  sought_address,
    input  wire          sought_host,
    input  wire  [31:0]  sought_transfer,
    input  wire engine_pkg::collective_t    sought_collective
);

    typedef enum logic [2:0] {
        IDLE,
        LOOK_UP,   // a rank
        LOOKED_UP,
        AT_WINDOW,
        SEEKING,
        TAKING,
        READY
    } state_t;

    state_t      state;
    logic [31:0] number, bytes, rdata;
    logic [63:0] address;
    logic        error, write, a_window, shown;
    logic        unused_bits;

    assign unused_bits = ^{
        selection.tag, selection.context_, selection.collective,
        peer_response.local_rank, peer_response.self, peer_response.record
    };

    assign write          = reg_request.write;
    assign shown          = sought || sought_other;
    assign a_window       = number < 32'(engine_pkg::WINDOWS);
    assign window         = number[4:0];
    assign window_address = address;
    assign window_bytes   = bytes;
    assign window_valid   = state == AT_WINDOW;
    assign seek_valid     = state == SEEKING;
    assign take_valid     = state == TAKING;

    always_comb begin
        peer_request = '0;
        peer_request.valid = state == LOOK_UP;
        peer_request.comm  = selection.comm;
        peer_request.rank  = reg_request.address == engine_pkg::RENDEZVOUS_SEEK ? selection.destination
            : selection.source;
        reg_response = '0;
        reg_response.ready = state == READY;
        reg_response.error = error;
        reg_response.rdata = rdata;
    end

    always_ff @(posedge clk) begin
        case (state)
            IDLE: if (reg_request.valid) begin
                error       <= 1'b0;
                rdata       <= '0;
                window_open <= 1'b0;
                window_shut <= 1'b0;
                window_host <= reg_request.wdata[0];
                state       <= READY;
                case (reg_request.address)
                    engine_pkg::RENDEZVOUS_WINDOW: begin
                        rdata <= number;
                        if (write) number <= reg_request.wdata;
                    end
                    engine_pkg::RENDEZVOUS_ADDRESS: begin
                        rdata <= address[31:0];
                        if (write) address[31:0] <= reg_request.wdata;
                    end
                    engine_pkg::RENDEZVOUS_ADDRESS_HIGH: begin
                        rdata <= address[63:32];
                        if (write) address[63:32] <= reg_request.wdata;
                    end
                    engine_pkg::RENDEZVOUS_BYTES: begin
                        rdata <= bytes;
                        if (write) bytes <= reg_request.wdata;
                    end
                    engine_pkg::RENDEZVOUS_OPEN: begin
                        error       <= !write;
                        window_open <= 1'b1;
                        if (write && a_window) state <= LOOK_UP;
                    end
                    engine_pkg::RENDEZVOUS_SHUT: begin
                        error       <= !write;
                        window_shut <= 1'b1;
                        if (write && a_window) state <= AT_WINDOW;
                    end
                    engine_pkg::RENDEZVOUS_ARRIVED, engine_pkg::RENDEZVOUS_DONE: begin
                        error <= write;
                        if (!write && a_window) state <= AT_WINDOW;
                    end
                    engine_pkg::RENDEZVOUS_SEEK: begin
                        error <= write;
                        if (!write) state <= LOOK_UP;
                    end
                    engine_pkg::RENDEZVOUS_FOREIGN: begin
                        error <= write;
                        if (!write) state <= LOOK_UP;
                    end
                    engine_pkg::RENDEZVOUS_TAKE: begin
                        error <= !write;
                        if (write) state <= TAKING;
                    end
                    engine_pkg::RENDEZVOUS_ANNOUNCED_COUNT: begin
                        error <= write;
                        rdata <= shown ? sought_count : '0;
                    end
                    engine_pkg::RENDEZVOUS_ANNOUNCED_ADDRESS: begin
                        error <= write;
                        rdata <= shown ? sought_address[31:0] : '0;
                    end
                    engine_pkg::RENDEZVOUS_ANNOUNCED_ADDRESS_HIGH: begin
                        error <= write;
                        rdata <= shown ? sought_address[63:32] : '0;
                    end
                    engine_pkg::RENDEZVOUS_ANNOUNCED_HOST: begin
                        error <= write;
                        rdata <= 32'(shown && sought_host);
                    end
                    engine_pkg::RENDEZVOUS_ANNOUNCED_TRANSFER: begin
                        error <= write;
                        rdata <= shown ? sought_transfer : '0;
                    end
                    engine_pkg::RENDEZVOUS_ANNOUNCED_NUMBER: begin
                        error <= write;
                        rdata <= shown ? sought_collective.number : '0;
                    end
                    engine_pkg::RENDEZVOUS_ANNOUNCED_COLLECTIVE_COUNT: begin
                        error <= write;
                        rdata <= shown ? sought_collective.count : '0;
                    end
                    engine_pkg::RENDEZVOUS_ANNOUNCED_SHAPE: begin
                        error <= write;
                        rdata <= shown ? sought_collective.shape : '0;
                    end
                    default: error <= 1'b1;
                endcase
            end
            LOOK_UP: if (peer_response.done) begin
                known   <= peer_response.ok;
                session <= peer_response.session;
                state   <= window_open ? AT_WINDOW
                    : reg_request.address == engine_pkg::RENDEZVOUS_SEEK ? SEEKING : LOOKED_UP;
            end
            LOOKED_UP: begin
                rdata <= 32'(known && foreign && !engine_pkg::STACK_RDMA);
                state <= READY;
            end
            AT_WINDOW: if (window_done) begin
                if (reg_request.address == engine_pkg::RENDEZVOUS_ARRIVED) rdata <= window_arrived;
                if (reg_request.address == engine_pkg::RENDEZVOUS_DONE) rdata <= 32'(window_complete);
                state <= READY;
            end
            SEEKING: if (seek_done) begin
                rdata <= {30'd0, sought_other, sought};
                state <= READY;
            end
            TAKING: if (take_done) state <= READY;
            default: state <= IDLE;
        endcase
        if (rst) state <= IDLE;
    end

endmodule

`default_nettype wire
