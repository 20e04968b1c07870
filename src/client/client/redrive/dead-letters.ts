import type { Delivery } from "../../../core/engine/delivery.ts";
import type { Engine, EngineReceiver } from "../../../core/engine/engine.ts";
import { peekPages } from "../../../core/engine/peek-pages.ts";
import type { Envelope } from "../../../core/envelope/envelope.ts";
import type { ClientParts } from "../client-parts.ts";
import { ClientLink } from "../link.ts";
import { type KeptLock, LockRenewal } from "../lock-renewal.ts";

/** A dead letter, and its lock if it was received. */
export interface RedriveCandidate {
  readonly delivery: Delivery;
  /** Stops renewing the lock. */
  readonly release: () => void;
}

/** The dead letters of an entity, one after the other; each is given once. */
export interface DeadLetters {
  next(): Promise<RedriveCandidate | undefined>;
  /** Stops renewing the locks. */
  stop(): void;
}

/** Peeks, for a dry run. */
export function peekedDeadLetters(engine: Engine, from: string): DeadLetters {
  let fromSequenceNumber = 0n;
  return {
    async next() {
      const [delivery] = await engine.peek(from, { maxMessages: 1, fromSequenceNumber });
      fromSequenceNumber = (delivery?.sequenceNumber ?? 0n) + 1n;
      return delivery && { delivery, release: () => undefined };
    },
    stop: () => undefined,
  };
}

/**
 * Receives. Messages that are not sent stay locked until the end: they would otherwise be redelivered before those
 * after them.
 */
export async function receivedDeadLetters(
  { engine, retry, clock }: Pick<ClientParts, "engine" | "retry" | "clock">,
  from: string,
): Promise<DeadLetters> {
  const renewal = new LockRenewal(clock, Infinity);
  const link = new ClientLink<EngineReceiver>("receiver", () => engine.openReceiver(from, { receiveMode: "peekLock" }));
  await link.get();
  const hold = ({ lockToken, lockedUntilUtc }: Delivery): KeptLock | undefined =>
    lockToken === undefined
      ? undefined
      : renewal.keep(lockedUntilUtc, { renew: () => engine.renew(from, lockToken), lost: () => undefined });
  const seen = new Set<bigint>();
  return {
    async next() {
      for (;;) {
        const [delivery] = await retry.run(() => link.use(receiveOne));
        if (delivery === undefined) return undefined;
        const lock = hold(delivery);
        // After a lost lock the same message is redelivered; those after it are still to be done.
        if (seen.has(delivery.sequenceNumber)) continue;
        seen.add(delivery.sequenceNumber);
        return { delivery, release: () => lock?.release() };
      }
    },
    stop: () => renewal.stop(),
  };
}

const receiveOne = (link: EngineReceiver): Promise<readonly Delivery[]> =>
  link.receive({ maxMessages: 1, maxWaitTimeInMs: 0 });

/**
 * The greatest sequence number of an entity's messages; 0 when there are none, `undefined` when the engine cannot peek.
 *
 * It is searched for, in steps that double and then halve: a queue may hold a million messages.
 */
export async function lastSequenceNumber(engine: Engine, entity: string): Promise<bigint | undefined> {
  if (engine.capabilities.peek.level === "refused") return undefined;
  const from = async (fromSequenceNumber: bigint): Promise<bigint | undefined> =>
    (await engine.peek(entity, { maxMessages: 1, fromSequenceNumber }))[0]?.sequenceNumber;
  let last = await from(0n);
  if (last === undefined) return 0n;
  let step = 1n;
  for (let next = await from(last + step); next !== undefined; next = await from(last + step)) {
    last = next;
    step *= 2n;
  }
  // None is at last + step or after it.
  while (step > 1n) {
    const next: bigint | undefined = await from(last + step / 2n);
    if (next === undefined) step /= 2n;
    else {
      step -= next - last;
      last = next;
    }
  }
  return last;
}

/** The number of dead letters after a sequence number that have this property with this value. */
export async function countMarked(
  engine: Engine,
  entity: string,
  { after, property, value }: { readonly after: bigint; readonly property: string; readonly value: string },
): Promise<number> {
  const isMarked = ({ applicationProperties }: Envelope): boolean => applicationProperties[property] === value;
  let count = 0;
  for await (const page of peekPages(engine, entity, { from: after + 1n, size: 500 }))
    count += page.filter(({ envelope }) => isMarked(envelope)).length;
  return count;
}
