import type { Serializer } from "../codec/serializer.ts";
import type { Delivery } from "../engine/delivery.ts";
import { parseAddress } from "../engine/address.ts";
import type { Envelope } from "../envelope/envelope.ts";
import type { ErrorCode } from "../errors/codes.ts";
import {
  aFunction,
  checkOptions,
  countFrom,
  entityName,
  flag,
  invalidOption,
  methods,
  name,
  oneOf,
  type OptionChecks,
  signal,
} from "../options/option-checks.ts";

/** Options of `redrive`. */
export interface RedriveOptions {
  /** Where the messages go. Default: the entity that they were dead-lettered on; a subscription has none. */
  readonly to?: string | undefined;
  /** Which messages, by true or false. Default: all. */
  readonly where?: ((message: Delivery) => boolean) | undefined;
  /**
   * Makes the message to send of one without its marks, whose payload is as it travelled: compressed, encrypted or stored
   * apart where the stages made it so. `undefined` leaves it where it is. Default: as it was.
   */
  readonly repair?:
    | ((envelope: Envelope, message: Delivery) => Envelope | undefined | Promise<Envelope | undefined>)
    | undefined;
  /** Another chain that must read the messages: those that it does not read stay where they are. */
  readonly readableBy?: Serializer | undefined;
  /** Another chain that reads the messages, and with `rewriteAs` writes them: default is that the bytes stay. */
  readonly rewriteAs?: string | undefined;
  /** Messages that were sent back so often stay where they are. Default: no limit. */
  readonly maxRedrives?: number | undefined;
  /** Default: all that are there. */
  readonly maxMessages?: number | undefined;
  /** Whether messages are only looked at. Default: false. */
  readonly dryRun?: boolean | undefined;
  /**
   * What becomes of message ids when the target detects duplicates, which would drop a message that it saw before: `keep`
   * takes that risk, `renew` leaves the id out, which ciphertext that is bound to the id does not survive. Default:
   * refused there.
   */
  readonly messageIds?: "keep" | "renew" | undefined;
  /** Called after each message; what it throws ends the re-drive. */
  readonly onProgress?: ((entry: RedriveEntry, report: RedriveReport) => void) | undefined;
  /** Ends it after the message at hand. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** What was done with one message. */
export interface RedriveEntry {
  readonly sequenceNumber: bigint;
  readonly messageId: Envelope["brokerProperties"]["messageId"];
  readonly deadLetterReason: string | undefined;
  /**
   * `sent`: it is back, or would be in a dry run; `skipped`: `where`, `repair` or `maxRedrives` left it; `unreadable`:
   * `readableBy` did not read it; `failed`: it stays, with the error; `doubled`: it was sent, but could not be completed, so that it is in both places.
   */
  readonly outcome: "sent" | "skipped" | "unreadable" | "failed" | "doubled";
  readonly error: { readonly code: ErrorCode; readonly message: string } | undefined;
}

/** What a re-drive did. */
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

const checks: OptionChecks<RedriveOptions> = {
  to: entityName,
  where: aFunction,
  repair: aFunction,
  readableBy: methods("made by createSerializer", "serialize", "deserialize"),
  rewriteAs: name,
  maxRedrives: countFrom(0),
  maxMessages: countFrom(1),
  dryRun: flag,
  messageIds: oneOf("keep", "renew"),
  onProgress: aFunction,
  abortSignal: signal,
};

/** @throws SobreError `InvalidArgument` naming the option. */
export function checkRedrive(from: string, options: RedriveOptions): void {
  if (typeof from !== "string" || parseAddress(from).subQueue === undefined) {
    throw invalidOption("from", 'must be a dead-letter queue, as in "orders/$DeadLetterQueue"');
  }
  checkOptions(options, checks);
  if (options.rewriteAs !== undefined && options.readableBy === undefined) {
    throw invalidOption("rewriteAs", "needs readableBy, the serializer that reads and writes");
  }
}
