import type { AcceptSessionOptions } from "../../core/engine/engine.ts";
import { typed } from "../../core/values/typed-makers.ts";
import { AmqpMap } from "../../core/values/typed.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { AzureReceiveLink, ReceiveLinkOptions } from "./receive-link.ts";
import { longOf, looseText } from "../../core/amqp-values/loose-value.ts";

const filterName = "com.microsoft:session-filter";

/** The longest wait that a link can ask for, in milliseconds. */
const maxWait = 2 ** 32 - 1;

/** The attach of a link that requests a session. */
export function sessionRequest(
  entity: string,
  { sessionId, maxWaitTimeInMs, abortSignal }: AcceptSessionOptions,
): ReceiveLinkOptions["request"] {
  const timeOut = typed.uint(Math.min(Math.max(0, Math.floor(maxWaitTimeInMs)), maxWait));
  return {
    abortSignal,
    wait: maxWaitTimeInMs,
    setup: {
      source: {
        kind: "source",
        address: entity,
        filter: new AmqpMap([[typed.symbol(filterName), sessionId ?? null]]),
      },
      target: { kind: "target", address: `session-${crypto.randomUUID()}` },
      properties: new AmqpMap([[typed.symbol("com.microsoft:timeout"), timeOut]]),
    },
  };
}

/**
 * The session that a link was granted, and its lock's expiry. @throws SobreError `GeneralError` if the broker names
 * none.
 */
export function grantedSession({ remote }: AzureReceiveLink): {
  readonly sessionId: string;
  readonly lockedUntilUtc: Date;
} {
  const sessionId = looseText(remote?.source?.filter?.get(filterName));
  if (sessionId === undefined) throw new SobreError("GeneralError", "The broker granted a session without naming it.");
  const ticks = longOf(remote?.properties?.get("com.microsoft:locked-until-utc"));
  return { sessionId, lockedUntilUtc: ticks === undefined ? new Date(0) : timeOf(ticks) };
}

/** The time that .NET's ticks stand for: tenths of microseconds since the year 1. */
const timeOf = (ticks: bigint): Date => new Date(Number((ticks - 621_355_968_000_000_000n) / 10_000n));
