// The rx buffers that the processor has given, and which of them wait for a
// message.
`default_nettype none

module rx_buffers (
    input  wire          clk,
    input  wire          rst,
    input  wire          clear,

    input  wire          add,          // one more
    input  wire  [15:0]  add_record,
    input  wire  [63:0]  add_address,
    input  wire  [31:0]  add_bytes,
    output logic [engine_pkg::BUFFER_WIDTH-1:0] add_number, // that it gets
    output logic         full,

    input  wire          put,          // one waits for a message
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] put_number,
    input  wire          take,         // the oldest gets one
    output logic [engine_pkg::BUFFER_WIDTH:0]   given,
    output logic [engine_pkg::BUFFER_WIDTH:0]   free_count,
    output logic [engine_pkg::BUFFER_WIDTH-1:0] head_number,
    output logic [63:0]  head_address,
    output logic [31:0]  head_bytes,
    output logic         head_settled, // these belong to the present count

    // Looking up; answers a cycle later.
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] read_number,
    output logic [15:0]  read_record,
    input  wire  [engine_pkg::BUFFER_WIDTH-1:0] look_number,
    output logic [15:0]  look_record,
    output logic [63:0]  look_address
);

    localparam int unsigned NUMBER = engine_pkg::BUFFER_WIDTH;

    // Addresses of the exchange memory: at once, where block RAM takes a third of the cycle.
    (* ram_style = "distributed" *) logic [15:0] records [engine_pkg::RX_BUFFERS];
    logic [63:0]     addresses [engine_pkg::RX_BUFFERS];
    logic [31:0]     sizes [engine_pkg::RX_BUFFERS];
    logic [NUMBER:0] seen_count;
    logic [NUMBER-1:0] seen_head;
    logic            unused_ready, unused_valid;

    assign add_number   = given[NUMBER-1:0];
    assign full         = given == (NUMBER + 1)'(engine_pkg::RX_BUFFERS);
    assign head_settled = seen_count == free_count && seen_head == head_number;

    fifo #(.WIDTH(NUMBER), .DEPTH(engine_pkg::RX_BUFFERS)) waiting (
        .clk, .rst, .clear,
        .in_valid(put), .in_ready(unused_ready), .in_data(put_number),
        .out_valid(unused_valid), .out_ready(take), .out_data(head_number), .count(free_count)
    );

    always_ff @(posedge clk) begin
        if (add) begin
            records[add_number]   <= add_record;
            addresses[add_number] <= add_address;
            sizes[add_number]     <= add_bytes;
        end
        head_address <= addresses[head_number];
        head_bytes   <= sizes[head_number];
        read_record  <= records[read_number];
        look_record  <= records[look_number];
        look_address <= addresses[look_number];
        seen_head    <= head_number;
        seen_count   <= free_count;
        if (rst || clear) given <= '0;
        else if (add) given <= given + 1'b1;
    end

endmodule

`default_nettype wire
