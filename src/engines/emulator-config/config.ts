import type { QueueOptions, SubscriptionOptions } from "../../engine/admin.ts";
import type { CorrelationFilter } from "../../engine/rules.ts";

/** The root of a configuration. */
export interface Config {
  readonly UserConfig: { readonly Namespaces: readonly NamespaceConfig[] };
}

/** A key of the namespace; the official emulator has only its well-known one, and no place for others. */
interface KeyConfig {
  readonly Name: string;
  readonly Key: string;
  readonly Rights?: readonly ("Send" | "Listen" | "Manage")[];
}

/** The one namespace. */
interface NamespaceConfig {
  readonly SharedAccessKeys?: readonly KeyConfig[];
  readonly Queues?: readonly { readonly Name: string; readonly Properties?: EntityProperties }[];
  readonly Topics?: readonly TopicConfig[];
}

/** A topic with its subscriptions. */
export interface TopicConfig {
  readonly Name: string;
  readonly Properties?: EntityProperties;
  readonly Subscriptions?: readonly SubscriptionConfig[];
}

/** A subscription with its rules. */
export interface SubscriptionConfig {
  readonly Name: string;
  readonly Properties?: EntityProperties;
  readonly Rules?: readonly RuleConfig[];
}

/** A rule with its filter and action. */
export interface RuleConfig {
  readonly Name: string;
  readonly Properties: {
    readonly SqlFilter?: { readonly SqlExpression: string };
    readonly CorrelationFilter?: CorrelationConfig;
    readonly Action?: { readonly SqlExpression: string };
  };
}

/** The values that a correlation filter compares. */
type CorrelationConfig = Capitalized<Omit<CorrelationFilter, "kind" | "subject" | "applicationProperties">> & {
  readonly Label?: string;
  readonly Properties?: Readonly<Record<string, string | number | boolean>>;
};

/** The properties of queues, topics and subscriptions; each kind has some of them. */
export type EntityProperties = Capitalized<Omit<QueueOptions & SubscriptionOptions, "rules">>;

/** Options under the names of the configuration: `LockDuration` is `lockDuration`. */
type Capitalized<Options> = { readonly [Name in keyof Options as Capitalize<Name & string>]: Options[Name] };
