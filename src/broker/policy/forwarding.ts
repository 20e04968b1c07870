import { parseAddress } from "../../core/engine/address.ts";
import type { QueueSettings } from "../../core/engine/entity-settings.ts";
import { entityNotFound } from "../../core/engine/refusals.ts";
import { invalidOption } from "../../core/options/option-checks.ts";
import type { EntityLookup } from "./directory.ts";

/** The keys of entities that are created together: those that are still to come count as existing. */
export type PendingEntities = ReadonlySet<string>;

/** The settings of any entity; those of topics do not forward. */
type ForwardingSettings = Pick<QueueSettings, "status"> &
  Partial<Pick<QueueSettings, "requiresSession" | "forwardTo" | "forwardDeadLetteredMessagesTo">>;

/** An entity that is created or updated. */
interface ForwardingEntity {
  readonly address: string;
  readonly settings: ForwardingSettings;
  /** The settings before an update. */
  readonly before?: ForwardingSettings | undefined;
}

/**
 * Checks the entities that another one forwards to: queues or topics that exist, and not itself. One with sessions does not
 * forward, as it would lose their order. A target that an update leaves as it was may have been deleted meanwhile.
 *
 * @throws SobreError `InvalidArgument`, or `MessagingEntityNotFound`.
 */
export function checkForwarding<Own>(
  entities: EntityLookup<Own>,
  { address, settings, before }: ForwardingEntity,
  pending?: PendingEntities,
): void {
  if (settings.requiresSession === true && settings.forwardTo !== undefined)
    throw invalidOption("forwardTo", "cannot be set for an entity that requires sessions");
  for (const option of ["forwardTo", "forwardDeadLetteredMessagesTo"] as const) {
    const target = settings[option];
    if (target === undefined) continue;
    const { key } = parseAddress(target);
    if (key === parseAddress(address).key) throw invalidOption(option, "must name another entity");
    if (before?.[option] === target) continue;
    const found = entities.find(target);
    if (found === undefined ? pending?.has(key) !== true : found.type === "subscription") throw entityNotFound(target);
  }
}
