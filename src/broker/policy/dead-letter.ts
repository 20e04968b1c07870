import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import { deadLetterProperties, type Modification } from "../../core/engine/delivery.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";

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
  return { ...mark, reason: cut(mark.reason, maxTextLength), description: cut(mark.description, maxTextLength) };
}

/**
 * The envelope as it enters the dead-letter queue: reason and description are application properties too.
 *
 * If the 64 KiB of properties have no room for the description, it is truncated, then left out; then the reason is left out, too.
 *
 * @throws SobreError for illegal values in `modification`, or when the modification alone is too large.
 */
export function deadLetterEnvelope(
  envelope: Envelope,
  mark: DeadLetterMark,
  modification: Modification = {},
): Envelope {
  const { reason, description } = mark;
  const marked = (texts: Modification): Envelope =>
    amend(envelope, { applicationProperties: { ...modification, ...texts } });
  const reasonOnly = present(deadLetterProperties.reason, reason);
  const attempts: readonly Modification[] = [
    { ...reasonOnly, ...present(deadLetterProperties.description, description) },
    { ...reasonOnly, ...present(deadLetterProperties.description, cut(description, 256)) },
    reasonOnly,
  ];
  for (const texts of attempts) {
    try {
      return marked(texts);
    } catch (error) {
      if (!(error instanceof SobreError) || error.code !== "MessageSizeExceeded") throw error;
    }
  }
  return Object.keys(modification).length === 0 ? envelope : marked({});
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

const present = (name: string, text: string | undefined): Modification => (text === undefined ? {} : { [name]: text });

function cut(text: string | undefined, length: number): string | undefined {
  if (text === undefined || text.length <= length) return text?.toWellFormed();
  const end = (text.charCodeAt(length - 1) & 0xfc00) === 0xd800 ? length - 1 : length;
  return text.slice(0, end).toWellFormed();
}
