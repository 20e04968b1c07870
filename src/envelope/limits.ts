import { SobreError } from "../errors/index.ts";
import type { ApplicationProperties } from "./application-properties.ts";
import type { BrokerProperties } from "./broker-properties.ts";
import { memberOf } from "./bag.ts";
import { sizeOfProperties } from "./size-of.ts";

/** The most bytes that broker and application properties may take together, AMQP-encoded: 64 KiB. */
export const maxHeaderSize: number = 64 * 1024;

/** @throws SobreError `MessageSizeExceeded` when the properties take more than {@link maxHeaderSize} bytes. */
export function checkHeaderSize(broker: BrokerProperties, application: ApplicationProperties): void {
  if (atMost(broker) + atMost(application) <= maxHeaderSize) return;
  const size = sizeOfProperties(broker, application);
  if (size > maxHeaderSize) {
    throw new SobreError(
      "MessageSizeExceeded",
      `Broker and application properties take ${size} bytes, and ${maxHeaderSize} are allowed. Move the larger ones into the payload.`,
    );
  }
}

/** No property's own encoding beside text and bytes is longer, its name's constructors and the sections' heads included. */
const longestScalar = 64;

/** A bound that costs next to nothing, so that ordinary messages need no exact count: UTF-8 takes at most 3 bytes per unit. */
function atMost(properties: object): number {
  let size = longestScalar;
  for (const name in properties) {
    const value = memberOf(properties, name);
    size += longestScalar + 3 * name.length;
    if (typeof value === "string") size += 3 * value.length;
    else if (typeof value === "object" && value !== null) size += isSmall(value) ? 0 : maxHeaderSize;
  }
  return size;
}

function isSmall(value: object): boolean {
  return value instanceof Date;
}
