import type { SobreError } from "../../core/errors/sobre-error.ts";
import type { DeadLetterMark } from "./dead-letter.ts";

const mark = (reason: string, description: string): DeadLetterMark => ({ reason, description, source: undefined });

/** The mark of a message that has reached its maximum delivery count. */
export const tooManyDeliveries = (deliveryCount: number): DeadLetterMark =>
  mark("MaxDeliveryCountExceeded", `Message could not be consumed after ${deliveryCount} delivery attempts.`);

/** The mark of a message without a session id on a session entity. */
export const noSessionId: DeadLetterMark = mark(
  "Session ID is null",
  "Session enabled entity doesn't allow a message whose session identifier is null.",
);

/** The mark of a message that has reached the maximum number of forwards. */
export const tooManyHops: DeadLetterMark = mark(
  "MaxTransferHopCountExceeded",
  "The maximum number of allowed hops when forwarding between queues is exceeded. This value is set to 4.",
);

/** The mark of a message that the next entity refused. */
export const transferRefused = (error: SobreError): DeadLetterMark => mark(error.code, error.message);

/** The mark of a message for which a rule could not be evaluated. */
export const ruleFailed = (error: SobreError): DeadLetterMark => mark("FilterEvaluationException", error.message);

/** The mark of a message whose properties became too large through a rule's action. */
export const headerTooLarge: DeadLetterMark = mark(
  "HeaderSizeExceeded",
  "The size quota for this stream has been exceeded: the properties take more than 64 KiB.",
);

/** The mark of an expired message. */
export const timeToLiveOver: DeadLetterMark = mark("TTLExpiredException", "The message expired and was dead lettered.");
