// What the status of a DMA transfer means, in bits of the return code.
`default_nettype none

module dma_status_check (
    input  wire  [31:0] status,        // cclo_pkg::dma_status_t
    input  wire         counted,       // the status has bytes and end of packet
    input  wire  [3:0]  expected_tag,
    input  wire  [22:0] expected_bytes,
    output logic [31:0] code
);

    cclo_pkg::dma_status_t fields;
    assign fields = status;

    always_comb begin
        code = '0;
        if (fields.internal_error) code = code | cclo_pkg::RETURN_CODE_DMA_INTERNAL;
        if (fields.decode_error) code = code | cclo_pkg::RETURN_CODE_DMA_DECODE;
        if (fields.slave_error) code = code | cclo_pkg::RETURN_CODE_DMA_SLAVE;
        if (code == '0) begin
            if (!fields.okay) code = code | cclo_pkg::RETURN_CODE_DMA_NOT_OKAY;
            if (fields.tag != expected_tag) code = code | cclo_pkg::RETURN_CODE_DMA_TAG_MISMATCH;
            if (counted && fields.bytes_received != expected_bytes)
                code = code | cclo_pkg::RETURN_CODE_DMA_NOT_EXPECTED_BTT;
            if (counted && !fields.end_of_packet) code = code | cclo_pkg::RETURN_CODE_DMA_NOT_END_OF_PACKET;
        end
    end

endmodule

`default_nettype wire
