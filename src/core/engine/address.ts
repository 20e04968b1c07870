import { checkOption } from "../options/option-checks.ts";
import * as is from "../options/is.ts";
import { checkEntity } from "./arguments.ts";
import { SobreError } from "../errors/sobre-error.ts";

/** The sub-queues of every queue and subscription. */
export type SubQueue = "deadLetter" | "transferDeadLetter";

/** The parts of an entity's address. */
export interface EntityAddress {
  /** The entity in lower case, without sub-queue, for comparing names. */
  readonly key: string;
  /** The entity as written, without sub-queue. */
  readonly name: string;
  readonly subQueue: SubQueue | undefined;
}

/** The suffixes that address the sub-queues of an entity. */
export const subQueueSuffix: Readonly<Record<SubQueue, string>> = {
  deadLetter: "/$DeadLetterQueue",
  transferDeadLetter: "/$Transfer/$DeadLetterQueue",
};

const suffixes: readonly (readonly [SubQueue, string])[] = [
  ["transferDeadLetter", subQueueSuffix.transferDeadLetter.toLowerCase()],
  ["deadLetter", subQueueSuffix.deadLetter.toLowerCase()],
];

/**
 * Parses an address such as `orders/$DeadLetterQueue` or `prices/Subscriptions/eu`.
 *
 * @throws SobreError `InvalidArgument` unless it is a string. @example
 * ```ts
 * console.log(parseAddress("orders/$DeadLetterQueue")); // { key: 'orders', name: 'orders', subQueue: 'deadLetter' }
 * ```
 */
export function parseAddress(address: string): EntityAddress {
  checkOption("address", address, is.text);
  checkEntity(address);
  for (const [subQueue, suffix] of suffixes) {
    // Lower-casing changes the length of some letters, so the name is cut first.
    if (address.slice(-suffix.length).toLowerCase() === suffix) {
      const name = address.slice(0, -suffix.length);
      return { key: name.toLowerCase(), name, subQueue };
    }
  }
  return { key: address.toLowerCase(), name: address, subQueue: undefined };
}

/** The address of a topic's subscription. @throws SobreError `InvalidArgument` unless both names are strings. */
export function subscriptionAddress(topic: string, subscription: string): string {
  checkEntity(topic);
  checkEntity(subscription);
  return `${topic}/Subscriptions/${subscription}`;
}

/** Letters, digits and `_ - . / ~` between a letter or digit at each end. */
const nameForm = /^[\p{L}\p{N}](?:[\p{L}\p{N}_\-./~]*[\p{L}\p{N}])?$/u;

/** Maximum length of a queue's or topic's name. */
const maxNameLength = 260;

/** @throws SobreError `InvalidArgument` when the text cannot name a queue or topic. */
export function checkEntityName(name: string): void {
  const fits = typeof name === "string" && name.length <= maxNameLength && nameForm.test(name);
  if (fits && !/\/subscriptions\/|\/\/|\.\./i.test(name)) return;
  throw new SobreError(
    "InvalidArgument",
    `An entity's name must have 1 to ${maxNameLength} letters, digits, "_", "-", ".", "/" and "~", begin and end with a letter or digit, ` +
      'and contains no "/Subscriptions/", "//" or "..".',
  );
}
