import { queueSettings, subscriptionSettings, topicSettings } from "../../core/engine/entity-settings.ts";
import type { QueueOptions, SubscriptionOptions, TopicOptions } from "../../core/engine/admin.ts";
import type { EntityFact } from "../memory/store.ts";

/** An entity as JSON. What JSON cannot hold is a time that never ends, which is the default of its option. */
export function writeEntity({ kind: _kind, entity: _entity, ...rest }: EntityFact): string {
  return JSON.stringify(rest, (_key, value: unknown) =>
    value === Infinity ? undefined : typeof value === "bigint" ? String(value) : value,
  );
}

interface Times {
  readonly createdAt: number;
  readonly modifiedAt: number;
}

type StoredEntity = Times &
  (
    | { readonly type: "queue"; readonly name: string; readonly first: string; readonly settings: QueueOptions }
    | { readonly type: "topic"; readonly name: string; readonly first: string; readonly settings: TopicOptions }
    | {
        readonly type: "subscription";
        readonly topic: number;
        readonly name: string;
        readonly settings: SubscriptionOptions;
      }
  );

/** Reads {@link writeEntity}. @throws SobreError `InvalidArgument` for settings that no entity has. */
export function readEntity(entity: number, text: string): EntityFact {
  const stored: StoredEntity = JSON.parse(text);
  const { createdAt, modifiedAt, name } = stored;
  const known = { kind: "entity", entity, createdAt, modifiedAt, name } as const;
  switch (stored.type) {
    case "queue":
      return { ...known, type: stored.type, first: BigInt(stored.first), settings: queueSettings(stored.settings) };
    case "topic":
      return { ...known, type: stored.type, first: BigInt(stored.first), settings: topicSettings(stored.settings) };
    case "subscription":
      return { ...known, type: stored.type, topic: stored.topic, settings: subscriptionSettings(stored.settings) };
    default:
      return stored satisfies never;
  }
}
