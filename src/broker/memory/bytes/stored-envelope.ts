import type { StoredOrigin } from "../../../core/engine/stored-origin.ts";
import type { Envelope } from "../../../core/envelope/envelope.ts";
import { Relabelled } from "../../policy/relabelled-envelope.ts";
import { messageKeep } from "./message-keep.ts";
import { ownIds } from "./own-values.ts";

/** The origin of an envelope, if its bytes may be moved. */
export const storedOriginOf = ({ origin }: Envelope): StoredOrigin | undefined =>
  origin !== undefined && isStored(origin) ? origin : undefined;

const isStored = (origin: object): origin is StoredOrigin => "unstored" in origin;

/** Notes that a queue stores an envelope. */
export const noteStored = (envelope: Envelope): void => storedOriginOf(envelope)?.stored(messageKeep);

/** Notes that a queue no longer stores an envelope. */
export const noteUnstored = (envelope: Envelope): void => storedOriginOf(envelope)?.unstored(messageKeep);

/**
 * An envelope to store instead of an amended one whose payload is the received one: it reads the payload lazily, since
 * a stored reference would keep the origin's former buffer alive. Any other envelope is returned unchanged.
 */
export function withoutHeldPayload(envelope: Envelope): Envelope {
  if (envelope.origin === envelope) return envelope;
  if (envelope instanceof Relabelled) {
    const own = ownIds(envelope.brokerProperties);
    return own === envelope.brokerProperties ? envelope : envelope.withBrokerProperties(own);
  }
  const origin = storedOriginOf(envelope);
  if (origin === undefined) return envelope;
  const { payload, bodyKind, brokerProperties: broker, applicationProperties: application } = envelope;
  if (payload !== origin.payload || bodyKind !== origin.bodyKind) return envelope;
  return new Relabelled(origin, ownIds(broker), application === origin.applicationProperties ? undefined : application);
}
