import { messageProperties } from "../../core/message/message-properties.ts";
import { createEnvelope, type Envelope } from "../../core/envelope/envelope.ts";
import { cut } from "../../core/errors/cut.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { codeOf } from "./process-error.ts";

const maxMessageLength = 1024;

/** A reply without a body that says why a request failed. */
export function faultOf(error: unknown): Envelope {
  const isOurs = error instanceof SobreError;
  return createEnvelope({
    payload: new Uint8Array(),
    brokerProperties: { messageId: crypto.randomUUID() },
    applicationProperties: {
      [messageProperties.fault]: faultCodeOf(error),
      ...(isOurs && { [messageProperties.faultMessage]: cut(error.message, maxMessageLength) }),
    },
  });
}

/** The error that a reply reports; `undefined` for an ordinary reply. */
export function readFault({ applicationProperties: own }: Envelope, responder: string): SobreError | undefined {
  const reason = own[messageProperties.fault];
  if (typeof reason !== "string") return undefined;
  const why = own[messageProperties.faultMessage];
  const details = typeof why === "string" ? `: ${why}` : ".";
  return new SobreError("RequestFailed", `The responder on "${responder}" failed with ${reason}${details}`, { reason });
}

/** Codes of other errors are passed on too, e.g. `ECONNREFUSED` or those of an application. */
function faultCodeOf(error: unknown): string {
  try {
    const code: unknown = error instanceof Error && "code" in error ? error.code : undefined;
    return typeof code === "string" && /^[\w.-]{1,64}$/.test(code) ? code : codeOf(error);
  } catch {
    return codeOf(undefined);
  }
}
