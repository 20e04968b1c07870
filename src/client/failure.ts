import type { Settlement } from "../engine/delivery.ts";
import type { Envelope } from "../envelope/envelope.ts";
import { headerSize, maxHeaderSize } from "../envelope/limits.ts";
import { cut } from "../errors/cut.ts";

/** The application property that tells why the last handler failed; it stays on the dead letter. */
export const failureProperty = "sobre-failure";

/** Longest text of a failure, in characters. */
const maxFailureLength = 1024;

/**
 * The settlement of a message whose handler failed: given back, with the cause written on it.
 *
 * So the dead letter tells more than that the delivery count was exceeded. Where the properties leave no room, the cause is left out.
 */
export function failureSettlement(envelope: Envelope, error: unknown): Settlement {
  const text = cut(describe(error), maxFailureLength);
  const application = { ...envelope.applicationProperties, [failureProperty]: text };
  // A broker may add marks of its own when it dead-letters the message.
  const fits = headerSize(envelope.brokerProperties, application) <= maxHeaderSize - 1024;
  return fits ? { kind: "abandon", propertiesToModify: { [failureProperty]: text } } : { kind: "abandon" };
}

function describe(error: unknown): string {
  try {
    if (!(error instanceof Error)) return `${typeof error} thrown`;
    const code = "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
    return `${error.name}${code}: ${error.message}`;
  } catch {
    // Getters of its own, or a name that is no text.
    return "an error thrown that cannot be described";
  }
}
