import type { Engine } from "../../../core/engine/engine.ts";
import { cut } from "../../../core/errors/cut.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import type { Terminus } from "../../../wire/amqp/connection/performative.ts";
import { looseText } from "../../../core/amqp-values/loose-value.ts";
import { sessionFilterName, sharedSessionFilterName } from "./session-filter.ts";

/** The longest name of a filter that an error shows. */
const maxNameLength = 100;

/**
 * Refuses filters that are not applied, as selectors of JMS are: most clients do not look whether theirs was accepted, and
 * would take messages that they do not want.
 *
 * @throws SobreError `UnsupportedCapability`.
 */
export function checkFilters(source: Terminus | undefined): void {
  for (const [key, value] of source?.filter ?? []) {
    const name = looseText(key) ?? "";
    if (name === sessionFilterName || name === sharedSessionFilterName || value === null) continue;
    throw new SobreError(
      "UnsupportedCapability",
      `The filter ${cut(name, maxNameLength)} of the receiver is not supported. Receive without it, or from a subscription with a rule that selects the messages.`,
    );
  }
}

/**
 * Refuses a receiver that wants copies, as browsers and durable subscribers of JMS do.
 *
 * @throws SobreError the reason why nobody can receive from the entity, e.g. since it is a topic, and otherwise
 * `UnsupportedCapability`.
 */
export async function refuseCopies(engine: Engine, entity: string): Promise<never> {
  const receiver = await engine.openReceiver(entity, { receiveMode: "peekLock" });
  void receiver.close().catch(() => undefined);
  throw new SobreError(
    "UnsupportedCapability",
    "Receivers with distribution mode copy are not supported. Peek the messages instead.",
  );
}
