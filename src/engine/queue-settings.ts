import { SobreError } from "../errors/index.ts";
import { type Duration, toMilliseconds } from "../time/index.ts";
import type { QueueOptions } from "./admin.ts";

/** {@link QueueOptions} with every default filled in and every duration in milliseconds; `Infinity` is for ever. */
export interface QueueSettings {
  readonly lockDuration: number;
  readonly maxDeliveryCount: number;
  readonly defaultMessageTimeToLive: number;
  readonly deadLetteringOnMessageExpiration: boolean;
  readonly requiresSession: boolean;
  readonly maxMessageSizeInBytes: number;
}

const minute = 60_000;

/**
 * Checks the options of a queue and fills in the defaults.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function queueSettings(options: QueueOptions = {}): QueueSettings {
  return {
    lockDuration: span("lockDuration", options.lockDuration, { fallback: minute, least: 1, most: 5 * minute }),
    maxDeliveryCount: whole("maxDeliveryCount", options.maxDeliveryCount, {
      fallback: 10,
      least: 1,
      most: 2 ** 31 - 1,
    }),
    defaultMessageTimeToLive: span("defaultMessageTimeToLive", options.defaultMessageTimeToLive, {
      fallback: Infinity,
      least: 1,
      most: Infinity,
    }),
    deadLetteringOnMessageExpiration: options.deadLetteringOnMessageExpiration ?? false,
    requiresSession: options.requiresSession ?? false,
    maxMessageSizeInBytes: whole("maxMessageSizeInBytes", options.maxMessageSizeInBytes, {
      fallback: 1024 * 1024,
      least: 1,
      most: 100 * 1024 * 1024,
    }),
  };
}

interface Range {
  readonly fallback: number;
  readonly least: number;
  readonly most: number;
}

function span(name: string, duration: Duration | undefined, { fallback, least, most }: Range): number {
  if (duration === undefined) return fallback;
  const milliseconds = toMilliseconds(duration, name);
  if (milliseconds >= least && milliseconds <= most) return milliseconds;
  throw new SobreError("InvalidArgument", `${name} must be from ${least} to ${most} milliseconds.`, {
    path: `$.${name}`,
  });
}

function whole(name: string, value: number | undefined, { fallback, least, most }: Range): number {
  if (value === undefined) return fallback;
  if (Number.isSafeInteger(value) && value >= least && value <= most) return value;
  throw new SobreError("InvalidArgument", `${name} must be a whole number from ${least} to ${most}.`, {
    path: `$.${name}`,
  });
}
