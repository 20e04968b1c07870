import type { Delivery } from "../../core/engine/delivery.ts";
import type {
  EngineReceiver,
  EngineSender,
  EngineSessionReceiver,
  ReceiveOptions,
  SendOptions,
} from "../../core/engine/engine.ts";
import { amend, type Envelope } from "../../core/envelope/envelope.ts";
import type { Clock } from "../../core/time/clock.ts";
import { inLateTransaction } from "../../broker/policy/late-transaction.ts";
import { type FaultEffect, type FaultPlan } from "./faults.ts";

/** A connection that can be cut while calls are waiting on it. */
interface Cuttable {
  /** The result of `run`, or a rejection as soon as the connection is cut. */
  guard<T>(operation: string, entity: string, run: () => Promise<T>): Promise<T>;
}

/** State shared by the links of a faulty engine. */
export interface LinkParts {
  readonly entity: string;
  readonly plan: FaultPlan;
  readonly connection: Cuttable;
  readonly clock: Clock;
  /** Makes the lock of a delivery end as if it had expired. */
  readonly expire: (delivery: Delivery) => Promise<void>;
}

const isSendFault = ({ kind }: FaultEffect): boolean => kind === "drop" || kind === "duplicate" || kind === "delay";
const isLostLock = ({ kind }: FaultEffect): boolean => kind === "loseLock";

/** A sender whose messages may be lost, delayed or duplicated. */
export function faultySender(inner: EngineSender, { entity, plan, connection, clock }: LinkParts): EngineSender {
  const deliver = async (envelopes: readonly Envelope[], options: SendOptions | undefined): Promise<void> => {
    const fault = plan.take(entity, isSendFault);
    switch (fault?.kind) {
      case "drop":
        break;
      case "delay": {
        const now = clock.now();
        const late = envelopes.map((envelope) => {
          // The delay of a scheduled message starts at its scheduled time.
          const due = Math.max(now, envelope.brokerProperties.scheduledEnqueueTimeUtc?.getTime() ?? now);
          const scheduledEnqueueTimeUtc = new Date(due + fault.milliseconds);
          return amend(envelope, { brokerProperties: { scheduledEnqueueTimeUtc } });
        });
        await inner.send(late, options);
        break;
      }
      case "duplicate":
        await inner.send(envelopes, options);
        await inner.send(envelopes, options);
        break;
      default:
        await inner.send(envelopes, options);
    }
    plan.accepted(entity, envelopes);
  };
  return {
    get maxMessageSize() {
      return inner.maxMessageSize;
    },
    send: (envelopes, options) =>
      inLateTransaction(options, (inside) =>
        connection.guard("send", entity, () => plan.around("send", entity, () => deliver(envelopes, inside))),
      ),
    close: () => inner.close(),
  };
}

/** A receiver whose link may be cut and whose locks may be lost. */
export function faultyReceiver(inner: EngineReceiver, parts: LinkParts): EngineReceiver {
  return { receive: (options) => receive(inner, parts, options), close: () => inner.close() };
}

/** {@link faultyReceiver} of a session. */
export function faultySessionReceiver(inner: EngineSessionReceiver, parts: LinkParts): EngineSessionReceiver {
  const { entity, plan, connection } = parts;
  const state = <T>(run: () => Promise<T>): Promise<T> =>
    connection.guard("session state", entity, () => plan.around("sessionState", entity, run));
  return {
    sessionId: inner.sessionId,
    receive: (options) => receive(inner, parts, options),
    sessionLockedUntilUtc: () => inner.sessionLockedUntilUtc(),
    renewSessionLock: () =>
      connection.guard("renewal", entity, () => plan.around("renew", entity, () => inner.renewSessionLock())),
    getSessionState: () => state(() => inner.getSessionState()),
    setSessionState: (bytes) => state(() => inner.setSessionState(bytes)),
    close: () => inner.close(),
  };
}

async function receive(
  inner: EngineReceiver,
  { entity, plan, connection, expire }: LinkParts,
  options: ReceiveOptions,
): Promise<readonly Delivery[]> {
  const deliveries = await connection.guard("receive", entity, () =>
    plan.around("receive", entity, () => inner.receive(options)),
  );
  for (const delivery of deliveries) {
    if (delivery.lockToken !== undefined && plan.take(entity, isLostLock)) await expire(delivery);
  }
  return deliveries;
}
