import type { ByteWriter } from "../values/byte-writer.ts";
import type { Envelope } from "../../envelope/envelope.ts";
import { SobreError } from "../../errors/sobre-error.ts";
import { section } from "./section.ts";
import { valueEnd } from "../values/value-end.ts";
import { writeData } from "./write-message.ts";
import { writeDescriptor } from "./write-section.ts";

/**
 * Writes the body sections of an envelope: one of data, one of a value, or one per list of a sequence.
 *
 * @throws SobreError `InvalidArgument` when the payload of a value or sequence is not what its body kind says.
 */
export function writePayload(writer: ByteWriter, { payload, bodyKind }: Envelope): void {
  switch (bodyKind) {
    case "data":
      return writeData(writer, payload);
    case "sequence":
      return writeSequence(writer, payload);
    case "value":
      // An empty payload is a message without a body.
      if (payload.byteLength === 0) return;
      if (valueEnd(payload, 0) !== payload.byteLength) throw notEncoded("value", "one AMQP value");
      writeDescriptor(writer, section.value);
      return writer.raw(payload);
    default:
      bodyKind satisfies never;
  }
}

function writeSequence(writer: ByteWriter, payload: Uint8Array): void {
  for (let at = 0; at < payload.byteLength;) {
    const code = payload[at];
    const end = code === 0x45 || code === 0xc0 || code === 0xd0 ? valueEnd(payload, at) : -1;
    if (end < 0) throw notEncoded("sequence", "AMQP lists one behind the other");
    writeDescriptor(writer, section.sequence);
    writer.raw(payload.subarray(at, end));
    at = end;
  }
}

function notEncoded(bodyKind: string, wanted: string): SobreError {
  return new SobreError(
    "InvalidArgument",
    `The payload of the body kind "${bodyKind}" must be ${wanted}. Let the amqp codec encode it, or use the body kind "data".`,
    { path: "$.payload" },
  );
}
