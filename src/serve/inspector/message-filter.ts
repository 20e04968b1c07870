import type { Delivery } from "../../core/engine/delivery.ts";
import { checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import { valueToJson } from "../../core/values/value-json.ts";
import type { MessageSelection } from "./api.ts";
import { codecErrorOf, idText, relatedIds, typeOf } from "./message-facts.ts";
import { memberOf, parsePathFilter } from "./path-filter.ts";
import type { Read, InspectorReading } from "./reading.ts";
import type { Redaction } from "./redaction.ts";

const digits = (value: unknown): string | undefined =>
  typeof value === "string" && /^\d{1,20}$/.test(value) ? undefined : "must be digits";

const selectionChecks: OptionChecks<MessageSelection> = {
  reason: is.text,
  source: is.text,
  type: is.text,
  error: is.text,
  text: is.text,
  path: is.text,
  state: is.oneOf("active", "scheduled", "deferred"),
  session: is.text,
  related: is.text,
  sequenceNumbers: is.listOf("sequence numbers as digits", digits),
};

/** The members of a selection that a query can have. */
export const selectionNames: readonly string[] = Object.keys(selectionChecks).filter(
  (name) => name !== "sequenceNumbers",
);

/** How a selection reads bodies, in words for the audit; empty when it reads none. @throws SobreError `InvalidArgument`. */
export function bodyReads(selection: MessageSelection): readonly string[] {
  checkOptions(selection, selectionChecks, { prefix: "selection." });
  const { text: wantedText = "", path = "" } = selection;
  return [...(wantedText === "" ? [] : ["for a text"]), ...(path.trim() === "" ? [] : [`by ${memberOf(path)}`])];
}

/** Selects messages; reads only those for which it must. */
export interface MessageFilter {
  /** The only session that it selects from. */
  readonly session: string | undefined;
  /** The message as it was read, or `undefined` when it is not selected. */
  selected(delivery: Delivery): Promise<Read | undefined>;
}

/** @throws SobreError `InvalidArgument` naming the member. */
export function createMessageFilter(
  selection: MessageSelection,
  { reading, redaction }: { readonly reading: InspectorReading; readonly redaction: Redaction },
): MessageFilter {
  checkOptions(selection, selectionChecks, { prefix: "selection." });
  const { reason, source, type, error, text: wantedText, path, state, session, related, sequenceNumbers } = selection;
  const only = sequenceNumbers === undefined ? undefined : new Set(sequenceNumbers.map(BigInt));
  const onPath = path === undefined || path.trim() === "" ? undefined : parsePathFilter(path);
  const needle = wantedText?.toLowerCase() ?? "";
  const matches = (delivery: Delivery): boolean =>
    (only?.has(delivery.sequenceNumber) ?? true) &&
    (state === undefined || delivery.state === state) &&
    (related === undefined || relatedIds(delivery.envelope, redaction).includes(related)) &&
    (session === undefined || delivery.envelope.brokerProperties.sessionId === session) &&
    (reason === undefined || (delivery.deadLetterReason ?? "") === reason) &&
    (source === undefined || (delivery.deadLetterSource ?? "") === source) &&
    (type === undefined || typeOf(delivery) === type);
  return {
    session,
    async selected(delivery) {
      if (!matches(delivery)) return undefined;
      const read = await reading.read(delivery.envelope);
      if (error !== undefined && codecErrorOf(delivery, read) !== error) return undefined;
      if (onPath?.(read.body) === false) return undefined;
      return needle === "" || includes(delivery, read, { needle, redaction }) ? read : undefined;
    },
  };
}

/** Searches what is shown of a message: redacted values cannot be guessed by searching. */
function includes(
  delivery: Delivery,
  { bare, body }: Read,
  { needle, redaction }: { readonly needle: string; readonly redaction: Redaction },
): boolean {
  const { brokerProperties, applicationProperties } = delivery.envelope;
  const known = [
    delivery.deadLetterReason,
    delivery.deadLetterErrorDescription,
    redaction.active ? undefined : (idText(brokerProperties.messageId) ?? undefined),
  ];
  if (known.some((one) => one?.toLowerCase().includes(needle))) return true;
  if (!redaction.active && Buffer.from(bare.payload).toString("utf8").toLowerCase().includes(needle)) return true;
  if (body !== undefined && JSON.stringify(body).toLowerCase().includes(needle)) return true;
  const properties = { ...rendered(brokerProperties), ...rendered(applicationProperties) };
  return JSON.stringify(redaction.properties(properties)).toLowerCase().includes(needle);
}

/** Properties as JSON. */
export const rendered = (properties: object): Readonly<Record<string, ReturnType<typeof valueToJson>>> =>
  Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, valueToJson(value)]));

/** A sequence number of a request. @throws SobreError `InvalidArgument`. */
export function sequenceOf(given: string | null): bigint | undefined {
  if (given === null || given === "") return undefined;
  if (digits(given) === undefined) return BigInt(given);
  throw invalidOption("sequence", "must be a sequence number, in digits");
}
