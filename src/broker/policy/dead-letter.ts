import { type ApplicationPropertyValue, changedProperties } from "../../core/envelope/application-properties.ts";
import { emptyBag } from "../../core/envelope/bag.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { checkHeaderSize, fitsHeader } from "../../core/envelope/limits.ts";
import { deadLetterProperties, type Modification } from "../../core/engine/delivery.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { withApplicationProperties } from "./relabelled-envelope.ts";

/** Why and where a message was dead-lettered. */
export interface DeadLetterMark {
  readonly reason: string | undefined;
  readonly description: string | undefined;
  /** The entity from whose dead-letter queue it was forwarded, if it was. */
  readonly source: string | undefined;
}

/** Maximum length of a reason or description in characters, as on Azure Service Bus. */
const maxTextLength = 4096;

/** The mark with its texts cut to {@link maxTextLength} characters, never inside a surrogate pair; halves become U+FFFD. */
export function legalMark(mark: DeadLetterMark): DeadLetterMark {
  const { reason, description } = mark;
  return {
    ...mark,
    reason: reason && cut(reason, maxTextLength),
    description: description && cut(description, maxTextLength),
  };
}

/** The longest parts of a description that are tried, until the properties have room for it: all, some and none of it. */
const descriptionLengths = [maxTextLength, 256, 0];

/**
 * The envelope as it enters the dead-letter queue: reason and description are application properties too.
 *
 * If the 64 KiB of properties have no room for the description, it is truncated, then left out; then the reason is left out, too.
 *
 * @throws SobreError for illegal values in `modification`, or when the modification alone is too large.
 */
export function deadLetterEnvelope(
  envelope: Envelope,
  { reason, description }: DeadLetterMark,
  modification?: Modification,
): Envelope {
  const { brokerProperties, applicationProperties: before } = envelope;
  const application = modification === undefined ? before : changedProperties(before, modification);
  for (const length of descriptionLengths) {
    const marked = Object.assign(emptyBag<ApplicationPropertyValue>(), application);
    if (reason !== undefined) marked[deadLetterProperties.reason] = cut(reason, maxTextLength);
    if (description !== undefined && length > 0) marked[deadLetterProperties.description] = cut(description, length);
    if (fitsHeader(brokerProperties, marked)) return withApplicationProperties(envelope, Object.freeze(marked));
  }
  checkHeaderSize(brokerProperties, application);
  return application === before ? envelope : withApplicationProperties(envelope, application);
}

/**
 * The same for a message that the broker itself dead-letters: it is moved in any case,
 * without the mark if its properties have no room for it.
 */
export function brokerDeadLetter(envelope: Envelope, mark: DeadLetterMark): Envelope {
  try {
    return deadLetterEnvelope(envelope, mark);
  } catch (error) {
    if (error instanceof SobreError) return envelope;
    throw error;
  }
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text.toWellFormed();
  const end = (text.charCodeAt(length - 1) & 0xfc00) === 0xd800 ? length - 1 : length;
  return text.slice(0, end).toWellFormed();
}
