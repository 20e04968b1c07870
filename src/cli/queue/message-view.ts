import type { Serializer } from "../../core/codec/serializer.ts";
import type { Delivery } from "../../core/engine/delivery.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { contentTypeOf } from "../../serve/inspector/reading.ts";
import { readTypeClaim } from "../../core/message/type-property.ts";
import { envelopeToJson } from "../../core/envelope/envelope-json.ts";
import type { Json } from "../../core/values/json.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { attemptTable } from "../table.ts";
import { oneLine, visibleJson } from "../display.ts";
import type { Terminal } from "../terminal.ts";

/** A message as a command shows it: the broker's data, and what the codecs make of its payload. */
export interface MessageView {
  readonly delivery: Delivery;
  readonly result: ReturnType<Serializer["deserialize"]>;
  /** The value in the rendering of the command line; `undefined` when empty, or when nothing read it. */
  readonly value: Json | undefined;
  /** Whether a codec read it and the value can be shown. */
  readonly ok: boolean;
  readonly error: SobreError | undefined;
}

/** Decodes a message with the chain. Never throws. */
export function viewOf(delivery: Delivery, serializer: Serializer): MessageView {
  const result = serializer.deserialize(delivery.envelope);
  if (!result.ok) return { delivery, result, value: undefined, ok: false, error: result.error };
  try {
    const value = result.body === undefined ? undefined : valueToJson(result.body);
    return { delivery, result, value, ok: true, error: undefined };
  } catch (error) {
    if (!(error instanceof SobreError)) throw error;
    return { delivery, result, value: undefined, ok: false, error };
  }
}

/** The view as one line of JSON; `envelope` has everything that was sent. */
export function viewAsJson({ delivery, result, value, ok, error }: MessageView): string {
  const { envelope, sequenceNumber, enqueuedTimeUtc, expiresAtUtc, deliveryCount, state } = delivery;
  const { deadLetterReason, deadLetterErrorDescription, deadLetterSource } = delivery;
  return visibleJson({
    sequenceNumber: String(sequenceNumber),
    enqueuedTimeUtc,
    expiresAtUtc,
    deliveryCount,
    state,
    deadLetterReason,
    deadLetterErrorDescription,
    deadLetterSource,
    ok,
    codec: result.ok ? result.codec : null,
    value,
    error: error === undefined ? undefined : { code: error.code, message: error.message },
    envelope: envelopeToJson(envelope),
  });
}

/** The view as text: a title, the properties if wanted, and the value or every reason why there is none. */
export function viewAsText(view: MessageView, terminal: Terminal, detail: "short" | "all"): string {
  const { style } = terminal;
  const parts = [title(view, terminal)];
  const { deadLetterReason, deadLetterErrorDescription } = view.delivery;
  if (deadLetterReason !== undefined) {
    const why = deadLetterErrorDescription === undefined ? "" : `: ${oneLine(deadLetterErrorDescription)}`;
    parts.push(`  ${style.yellow(oneLine(deadLetterReason))}${why}`);
  }
  if (detail === "all") parts.push(...properties(view));
  parts.push(body(view, terminal));
  return parts.join("\n");
}

function title({ delivery, result }: MessageView, { style }: Terminal): string {
  const { sequenceNumber, enqueuedTimeUtc, deliveryCount, state, envelope } = delivery;
  const { messageId, sessionId, contentType } = envelope.brokerProperties;
  const facts = [
    ...typeOf(envelope),
    oneLine(String(messageId ?? "without id")),
    ...(sessionId === undefined ? [] : [`session ${oneLine(sessionId)}`]),
    enqueuedTimeUtc.toISOString(),
    ...(deliveryCount === 0 ? [] : [`${deliveryCount} failed`]),
    ...(state === "active" ? [] : [state]),
    contentType === undefined ? "no content type" : oneLine(contentType),
  ];
  const read = result.ok ? `read by ${style.green(result.codec)}` : style.red("not read");
  return `${style.bold(`#${sequenceNumber}`)}  ${facts.join("  ")}  ${read}`;
}

/** The message type that it declares, with its version. */
function typeOf(envelope: Envelope): readonly string[] {
  const { declared, version } = readTypeClaim(envelope, contentTypeOf(envelope));
  if (declared === undefined) return [];
  return [`${oneLine(declared)}${version === undefined || Number.isNaN(version) ? "" : ` v${version}`}`];
}

function properties({ delivery }: MessageView): readonly string[] {
  const { brokerProperties, applicationProperties } = delivery.envelope;
  return [...Object.entries(brokerProperties), ...Object.entries(applicationProperties)].map(
    ([name, value]) => `  ${oneLine(name)}: ${visibleJson(valueToJson(value))}`,
  );
}

function body({ result, value, ok, error, delivery }: MessageView, terminal: Terminal): string {
  if (!result.ok) return attemptTable(result, terminal);
  if (!ok) return `  ${terminal.style.red("cannot be shown")}: ${oneLine(error?.message ?? "")}`;
  if (value === undefined) return terminal.style.dim("(empty)");
  const { byteLength } = delivery.envelope.payload;
  // A short value on one line, as a person would write it.
  return visibleJson(value, byteLength < 60 ? undefined : 2);
}
