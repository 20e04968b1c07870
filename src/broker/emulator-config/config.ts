import type { QueueOptions, SubscriptionOptions } from "../../core/engine/admin.ts";
import type { CorrelationFilter } from "../../core/engine/rules.ts";
import type { DurationLike } from "../../core/time/duration.ts";

/** A `Config.json` of the official emulator as an object. */
export interface EmulatorConfig {
  readonly $schema?: string;
  readonly UserConfig: {
    readonly Namespaces: readonly [EmulatorNamespace] | readonly EmulatorNamespace[];
    readonly Logging?: { readonly Type?: string };
  };
}

/** The one namespace. */
export interface EmulatorNamespace {
  readonly Name: string;
  readonly SharedAccessKeys?: readonly EmulatorKey[];
  readonly Queues?: readonly { readonly Name: string; readonly Properties?: EmulatorProperties }[];
  readonly Topics?: readonly EmulatorTopic[];
}

/** A key of the namespace; the official emulator has only its well-known one, and no place for others. */
export interface EmulatorKey {
  readonly Name: string;
  readonly Key: string;
  /** Default: all. */
  readonly Rights?: readonly ("Send" | "Listen" | "Manage")[];
}

/** A topic with its subscriptions. */
export interface EmulatorTopic {
  readonly Name: string;
  readonly Properties?: EmulatorProperties;
  readonly Subscriptions?: readonly EmulatorSubscription[];
}

/** A subscription with its rules. */
export interface EmulatorSubscription {
  readonly Name: string;
  readonly Properties?: EmulatorProperties;
  readonly Rules?: readonly EmulatorRule[];
}

/** A rule with its filter and action. */
export interface EmulatorRule {
  readonly Name: string;
  readonly Properties: {
    readonly FilterType: "Sql" | "Correlation";
    readonly SqlFilter?: { readonly SqlExpression: string };
    readonly CorrelationFilter?: EmulatorCorrelation;
    readonly Action?: { readonly SqlExpression: string };
  };
}

/** The values that a correlation filter compares. */
export type EmulatorCorrelation = Capitalized<Omit<CorrelationFilter, "kind" | "subject" | "applicationProperties">> & {
  readonly Label?: string;
  readonly Properties?: Readonly<Record<string, string | number | boolean>>;
};

/** The properties of queues, topics and subscriptions; each kind has some of them. Durations are text. */
export type EmulatorProperties = Capitalized<Omit<QueueOptions & SubscriptionOptions, "rules">>;

/** Options under the names of the configuration: `LockDuration` is `lockDuration`. */
type Capitalized<Options> = {
  readonly [Name in keyof Options as Capitalize<Name & string>]: DurationLike extends Options[Name]
    ? string
    : Options[Name];
};
