import type { Serializer } from "../codec/serializer.ts";
import type { Delivery, LockToken } from "../engine/delivery.ts";
import type { EngineReceiver, EngineSender, TransactionOption } from "../engine/engine.ts";
import { parseAddress } from "../engine/address.ts";
import { amend, type Envelope } from "../envelope/envelope.ts";
import type { ErrorCode } from "../errors/codes.ts";
import { SobreError } from "../errors/sobre-error.ts";
import {
  aFunction,
  checkOption,
  checkOptions,
  countFrom,
  entityName,
  flag,
  invalidOption,
  isEnvelope,
  methods,
  name,
  oneOf,
  type OptionCheck,
  type OptionChecks,
  signal,
} from "../options/option-checks.ts";
import type { ClientParts } from "./client-parts.ts";
import { withoutDeadLetterMarks } from "./dead-lettering.ts";
import { detectsDuplicates } from "./duplicate-detection.ts";
import { Link } from "./link.ts";
import { type KeptLock, LockRenewal } from "./lock-renewal.ts";
import { rewritten } from "./rewriting.ts";

/** Options of `redrive`. */
export interface RedriveOptions {
  /** The target entity. Default: the entity that dead-lettered the messages; required for a subscription. */
  readonly to?: string | undefined;
  /** Selects the messages to send. Default: all. */
  readonly where?: ((message: Delivery) => boolean) | undefined;
  /**
   * Returns the envelope to send, given one without dead-letter properties; its payload is as the stages made it:
   * compressed, encrypted or replaced by a claim check. `undefined` skips the message. Default: unchanged.
   */
  readonly repair?:
    | ((envelope: Envelope, message: Delivery) => Envelope | undefined | Promise<Envelope | undefined>)
    | undefined;
  /** A serializer that must be able to read the messages; those that it cannot read stay in the queue. */
  readonly readableBy?: Serializer | undefined;
  /** The content type to re-encode the messages as, with the serializer in `readableBy`. Default: the bytes stay. */
  readonly rewriteAs?: string | undefined;
  /** Skip messages already re-driven this many times. Default: no limit. */
  readonly maxRedrives?: number | undefined;
  /** The maximum number of messages. Default: all that are in the queue. */
  readonly maxMessages?: number | undefined;
  /** Whether to only report what would be done. Default: false. */
  readonly dryRun?: boolean | undefined;
  /**
   * Treatment of message ids when the target detects duplicates and may drop a message whose id it has seen: `keep`
   * takes that risk; `renew` removes the id, which breaks ciphertext that is bound to it. Default: reject.
   */
  readonly messageIds?: "keep" | "renew" | undefined;
  /**
   * Whether a message is sent and completed in one transaction, so that it is never in both entities. Default: false; a
   * broker may refuse transactions over two entities.
   */
  readonly atomic?: boolean | undefined;
  /** Called after each message; an error that it throws ends the re-drive. */
  readonly onProgress?: ((entry: RedriveEntry, report: RedriveReport) => void) | undefined;
  /** Ends the re-drive after the current message. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** The outcome for one message. */
export interface RedriveEntry {
  readonly sequenceNumber: bigint;
  readonly messageId: Envelope["brokerProperties"]["messageId"];
  readonly deadLetterReason: string | undefined;
  /**
   * `sent`, or would be in a dry run; `skipped` by `where`, `repair` or `maxRedrives`; `unreadable` by `readableBy`;
   * `failed` with the error, and left in the queue; `doubled`: sent, but not completed, so now in both entities.
   */
  readonly outcome: "sent" | "skipped" | "unreadable" | "failed" | "doubled";
  readonly error: { readonly code: ErrorCode; readonly message: string } | undefined;
}

/** The result of a re-drive. */
export interface RedriveReport {
  readonly from: string;
  readonly dryRun: boolean;
  readonly seen: number;
  readonly sent: number;
  readonly skipped: number;
  readonly unreadable: number;
  readonly failed: number;
  readonly doubled: number;
  readonly entries: readonly RedriveEntry[];
}

/** The application property that counts how often a message was re-driven. */
export const redriveCountProperty = "sobre-redrives";

/**
 * Re-drives the messages of a dead-letter queue: original bytes and properties, without the dead-letter properties,
 * with a count.
 *
 * Each message is sent before it is completed, so none is lost in between. Skipped messages are held until the end and
 * released without counting a delivery. Lost links are reopened.
 *
 * @throws SobreError `InvalidArgument` naming the option, `InvalidOperation` when the target detects duplicates and
 * `messageIds` does not say what to do, and what opening and receiving throw; `onProgress` has been called for all
 * messages handled by then.
 */
export async function redrive(from: string, parts: ClientParts, options: RedriveOptions = {}): Promise<RedriveReport> {
  checkRedrive(from, options);
  // A separate connection: closing it releases what it holds without counting a delivery.
  const engine = await parts.engine.connect();
  try {
    return await new Redrive(from, { ...parts, engine }, options).run();
  } finally {
    await engine.close();
  }
}

type Outcome = Pick<RedriveEntry, "outcome" | "error">;

class Redrive {
  readonly #from: string;
  readonly #parts: ClientParts;
  readonly #options: RedriveOptions;
  readonly #entries: RedriveEntry[] = [];
  readonly #counts: Record<RedriveEntry["outcome"], number> = {
    sent: 0,
    skipped: 0,
    unreadable: 0,
    failed: 0,
    doubled: 0,
  };
  readonly #senders = new Map<string, Link<EngineSender>>();
  /** Renews the locks of current and skipped messages; otherwise they would be redelivered before those behind them. */
  readonly #renewal: LockRenewal;
  /** The lock of the current message. */
  #lock: KeptLock | undefined;

  constructor(from: string, parts: ClientParts, options: RedriveOptions) {
    this.#from = from;
    this.#parts = parts;
    this.#options = options;
    this.#renewal = new LockRenewal(parts.clock, Infinity);
  }

  async run(): Promise<RedriveReport> {
    try {
      return await this.#handleAll();
    } finally {
      this.#renewal.stop();
    }
  }

  async #handleAll(): Promise<RedriveReport> {
    const { abortSignal, onProgress, maxMessages = Infinity, dryRun = false } = this.#options;
    const next = dryRun ? this.#peeking() : await this.#receiving();
    while (this.#entries.length < maxMessages) {
      const delivery = abortSignal?.aborted === true ? undefined : await next();
      if (delivery === undefined) break;
      const { sequenceNumber, deadLetterReason, envelope } = delivery;
      const { messageId } = envelope.brokerProperties;
      const entry = { sequenceNumber, messageId, deadLetterReason, ...(await this.#handle(delivery, dryRun)) };
      this.#entries.push(entry);
      this.#counts[entry.outcome]++;
      onProgress?.(entry, this.#report(dryRun));
    }
    return this.#report(dryRun);
  }

  #peeking(): () => Promise<Delivery | undefined> {
    let fromSequenceNumber = 0n;
    return async () => {
      const [delivery] = await this.#parts.engine.peek(this.#from, { maxMessages: 1, fromSequenceNumber });
      fromSequenceNumber = (delivery?.sequenceNumber ?? 0n) + 1n;
      return delivery;
    };
  }

  async #receiving(): Promise<() => Promise<Delivery | undefined>> {
    const { engine, retry } = this.#parts;
    const link = new Link<EngineReceiver>("receiver", () =>
      engine.openReceiver(this.#from, { receiveMode: "peekLock" }),
    );
    await link.get();
    const seen = new Set<bigint>();
    return async () => {
      for (;;) {
        const [delivery] = await retry.run(() => link.use(receiveOne));
        if (delivery === undefined) return undefined;
        this.#lock = this.#hold(delivery);
        // After a lost lock the same message is redelivered; those behind it are still to be done.
        if (seen.has(delivery.sequenceNumber)) continue;
        seen.add(delivery.sequenceNumber);
        return delivery;
      }
    };
  }

  #hold({ lockToken, lockedUntilUtc }: Delivery): KeptLock | undefined {
    if (lockToken === undefined) return undefined;
    const renew = (): Promise<Date> => this.#parts.engine.renew(this.#from, lockToken);
    return this.#renewal.keep(lockedUntilUtc, { renew, lost: () => undefined });
  }

  async #handle(delivery: Delivery, dryRun: boolean): Promise<Outcome> {
    try {
      const target = this.#targetOf(delivery);
      const made = await this.#prepare(delivery);
      if (typeof made === "string") return { outcome: made, error: undefined };
      const envelope = await this.#withSafeId(made, target);
      if (dryRun || delivery.lockToken === undefined) return { outcome: "sent", error: undefined };
      if (this.#options.atomic === true) return await this.#moveAtOnce(envelope, target, delivery.lockToken);
      await this.#send(envelope, target);
      this.#lock?.release();
      try {
        await this.#parts.engine.settle(this.#from, delivery.lockToken, { kind: "complete" });
      } catch (error) {
        return { outcome: "doubled", error: told(error) };
      }
      return { outcome: "sent", error: undefined };
    } catch (error) {
      return { outcome: "failed", error: told(error) };
    }
  }

  async #moveAtOnce(envelope: Envelope, target: string, lock: LockToken): Promise<Outcome> {
    const { engine } = this.#parts;
    const transaction = await engine.begin();
    try {
      await this.#send(envelope, target, { transaction });
      await engine.settle(this.#from, lock, { kind: "complete" }, { transaction });
      this.#lock?.release();
      await transaction.commit();
    } catch (error) {
      // The transaction may have ended with the link, and its time limit ends it anyway.
      await transaction.rollback().catch(() => undefined);
      throw error;
    }
    return { outcome: "sent", error: undefined };
  }

  async #send(envelope: Envelope, target: string, options?: TransactionOption): Promise<void> {
    const sender = this.#sender(target);
    await this.#parts.retry.run(() => sender.use((link) => link.send([envelope], options)), {
      timedOut: () => sender.abandon(),
    });
  }

  async #prepare(delivery: Delivery): Promise<Envelope | "skipped" | "unreadable"> {
    const { where, repair, readableBy, rewriteAs, maxRedrives = Infinity } = this.#options;
    const isWanted: unknown = where === undefined || where(delivery);
    checkOption("where", isWanted, givesFlag);
    if (isWanted === false) return "skipped";
    const count = countOf(delivery.envelope);
    if (count >= maxRedrives) return "skipped";
    const bare = withoutDeadLetterMarks(delivery.envelope);
    const repaired = repair === undefined ? bare : await repair(bare, delivery);
    if (repaired === undefined) return "skipped";
    checkOption("repair", repaired, givesEnvelope);
    const { stages } = this.#parts;
    const chain = readableBy && { serializer: readableBy, stages, rewriteAs };
    const written = chain === undefined ? repaired : await rewritten(repaired, chain);
    if (written === undefined) return "unreadable";
    return amend(written, { applicationProperties: { [redriveCountProperty]: count + 1 } });
  }

  /** The target would drop a message whose id it has seen, and the dead letter would be completed all the same. */
  async #withSafeId(envelope: Envelope, target: string): Promise<Envelope> {
    const { messageIds } = this.#options;
    if (envelope.brokerProperties.messageId === undefined || messageIds === "keep") return envelope;
    if (messageIds === "renew") return amend(envelope, { brokerProperties: { messageId: undefined } });
    // Engines that do not report it are assumed not to detect any.
    if ((await detectsDuplicates(this.#parts.engine, target)) !== true) return envelope;
    throw new SobreError(
      "InvalidOperation",
      `"${target}" detects duplicates and may drop a message whose id it has seen. Set messageIds to "renew", or to "keep" once the duplicate detection window is over.`,
    );
  }

  #targetOf({ deadLetterSource }: Delivery): string {
    const target = this.#options.to ?? deadLetterSource ?? parseAddress(this.#from).name;
    if (!/\/subscriptions\//i.test(target)) return target;
    throw invalidOption("to", "must name the queue or topic to send to, since nothing can be sent to a subscription");
  }

  #sender(target: string): Link<EngineSender> {
    const known = this.#senders.get(target) ?? new Link("sender", () => this.#parts.engine.openSender(target));
    this.#senders.set(target, known);
    return known;
  }

  #report(dryRun: boolean): RedriveReport {
    return { from: this.#from, dryRun, seen: this.#entries.length, ...this.#counts, entries: this.#entries };
  }
}

/** A promise would count as true. */
const givesFlag: OptionCheck = (value) =>
  typeof value === "boolean" ? undefined : "must return true or false, not a promise";

const givesEnvelope: OptionCheck = (value) =>
  isEnvelope(value) ? undefined : "must return an envelope, e.g. made by amend, or undefined";

const receiveOne = (link: EngineReceiver): Promise<readonly Delivery[]> =>
  link.receive({ maxMessages: 1, maxWaitTime: 0 });

function countOf({ applicationProperties }: Envelope): number {
  const count = Number(applicationProperties[redriveCountProperty] ?? 0);
  return Number.isSafeInteger(count) && count >= 0 ? count : 0;
}

function told(error: unknown): { readonly code: ErrorCode; readonly message: string } {
  if (error instanceof SobreError) return { code: error.code, message: error.message };
  return { code: "GeneralError", message: `A ${error instanceof Error ? error.name : typeof error} was thrown.` };
}

const checks: OptionChecks<RedriveOptions> = {
  to: entityName,
  where: aFunction,
  repair: aFunction,
  readableBy: methods("made by createSerializer", "serialize", "deserialize"),
  rewriteAs: name,
  maxRedrives: countFrom(0),
  maxMessages: countFrom(1),
  dryRun: flag,
  atomic: flag,
  messageIds: oneOf("keep", "renew"),
  onProgress: aFunction,
  abortSignal: signal,
};

/** @throws SobreError `InvalidArgument` naming the option. */
function checkRedrive(from: string, options: RedriveOptions): void {
  if (typeof from !== "string" || parseAddress(from).subQueue === undefined) {
    throw invalidOption("from", 'must be a dead-letter queue, e.g. "orders/$DeadLetterQueue"');
  }
  checkOptions(options, checks);
  if (options.rewriteAs !== undefined && options.readableBy === undefined) {
    throw invalidOption("rewriteAs", "requires readableBy, the serializer that reads and writes the messages");
  }
}
