import { messageProperties } from "../../../core/message/message-properties.ts";
import { parseAddress } from "../../../core/engine/address.ts";
import type { Delivery } from "../../../core/engine/delivery.ts";
import type { Engine } from "../../../core/engine/engine.ts";
import { amend, type Envelope } from "../../../core/envelope/envelope.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { checkOption, invalidOption } from "../../../core/options/option-checks.ts";
import { isEnvelope, type OptionCheck } from "../../../core/options/is.ts";
import type { ClientParts } from "../client-parts.ts";
import { withoutDeadLetterMarks } from "../dead-lettering.ts";
import { detectsDuplicates } from "../duplicate-detection.ts";
import { rewritten } from "../rewriting.ts";
import type { RedriveOptions } from "./options.ts";

/** The envelope to send for a dead letter and its target, or why it is not sent: `exhausted` by `maxRedrives`. */
export type Prepared =
  | { readonly envelope: Envelope; readonly target: string }
  | "skipped"
  | "exhausted"
  | "unreadable";

/**
 * Prepares a dead letter to be sent, by the options of the re-drive.
 *
 * @param options `mark` is the id to write into it.
 * @throws SobreError `InvalidArgument` without a target, `InvalidOperation` when the target may drop it, and what `where`
 * and `repair` throw.
 */
export async function prepare(
  delivery: Delivery,
  parts: ClientParts,
  options: RedriveOptions & { readonly from: string; readonly mark: string | undefined },
): Promise<Prepared> {
  const { where, repair, readableBy, rewriteAs, maxRedrives = Infinity, mark, messageIds } = options;
  const target = targetOf(delivery, options);
  const isWanted: unknown = where === undefined || where(delivery);
  checkOption("where", isWanted, givesFlag);
  if (isWanted === false) return "skipped";
  const count = countOf(delivery.envelope);
  if (count >= maxRedrives) return "exhausted";
  const bare = withoutDeadLetterMarks(delivery.envelope);
  const repaired = repair === undefined ? bare : await repair(bare, delivery);
  if (repaired === undefined) return "skipped";
  checkOption("repair", repaired, givesEnvelope);
  const chain = readableBy && { serializer: readableBy, stages: parts.stages, rewriteAs };
  const written = chain === undefined ? repaired : await rewritten(repaired, chain);
  if (written === undefined) return "unreadable";
  const marks = { [messageProperties.redriveCount]: count + 1, [messageProperties.redriveId]: mark };
  const envelope = await withSafeId(amend(written, { applicationProperties: marks }), target, {
    engine: options.toEngine ?? parts.engine,
    messageIds,
  });
  return { envelope, target };
}

/** The target would drop a message whose id it has seen, and the dead letter would be completed all the same. */
async function withSafeId(
  envelope: Envelope,
  target: string,
  { engine, messageIds }: Pick<RedriveOptions, "messageIds"> & { readonly engine: Engine },
): Promise<Envelope> {
  if (envelope.brokerProperties.messageId === undefined || messageIds === "keep") return envelope;
  if (messageIds === "renew") return amend(envelope, { brokerProperties: { messageId: undefined } });
  // Engines that do not report it are assumed not to detect any.
  if ((await detectsDuplicates(engine, target)) !== true) return envelope;
  throw new SobreError(
    "InvalidOperation",
    `"${target}" detects duplicates and may drop a message whose id it has seen. Set messageIds to "renew", or to "keep" once the duplicate detection window is over.`,
  );
}

function targetOf({ deadLetterSource }: Delivery, { to, from }: RedriveOptions & { readonly from: string }): string {
  const target = to ?? deadLetterSource ?? parseAddress(from).name;
  if (!/\/subscriptions\//i.test(target)) return target;
  throw invalidOption("to", "must name the queue or topic to send to, since nothing can be sent to a subscription");
}

/** A promise would count as true. */
const givesFlag: OptionCheck = (value) =>
  typeof value === "boolean" ? undefined : "must return true or false, not a promise";

const givesEnvelope: OptionCheck = (value) =>
  isEnvelope(value) ? undefined : "must return an envelope, e.g. made by amend, or undefined";

function countOf({ applicationProperties }: Envelope): number {
  const count = Number(applicationProperties[messageProperties.redriveCount] ?? 0);
  return Number.isSafeInteger(count) && count >= 0 ? count : 0;
}
