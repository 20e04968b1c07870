import { SobreError } from "../errors/index.ts";
import type { ApplicationProperties } from "./application-properties.ts";
import type { BrokerProperties } from "./broker-properties.ts";
import { sizeOfProperties } from "./size-of.ts";

/** The most bytes that broker and application properties may take together, AMQP-encoded: 64 KiB. */
export const maxHeaderSize: number = 64 * 1024;

/** @throws SobreError `MessageSizeExceeded` when the properties take more than {@link maxHeaderSize} bytes. */
export function checkHeaderSize(broker: BrokerProperties, application: ApplicationProperties): void {
  const size = sizeOfProperties(broker, application);
  if (size > maxHeaderSize) {
    throw new SobreError(
      "MessageSizeExceeded",
      `Broker and application properties take ${size} bytes, and ${maxHeaderSize} are allowed. Move the larger ones into the payload.`,
    );
  }
}
