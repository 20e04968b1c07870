import type { EntityStatus } from "../../engine/admin.ts";

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

/** What a correlation filter wants. */
interface CorrelationConfig {
  readonly ContentType?: string;
  readonly CorrelationId?: string;
  readonly Label?: string;
  readonly MessageId?: string;
  readonly ReplyTo?: string;
  readonly ReplyToSessionId?: string;
  readonly SessionId?: string;
  readonly To?: string;
  readonly Properties?: Readonly<Record<string, string | number | boolean>>;
}

/** The properties of queues, topics and subscriptions; each kind has some of them. */
export interface EntityProperties {
  readonly LockDuration?: string;
  readonly MaxDeliveryCount?: number;
  readonly DefaultMessageTimeToLive?: string;
  readonly DeadLetteringOnMessageExpiration?: boolean;
  readonly DeadLetteringOnFilterEvaluationExceptions?: boolean;
  readonly RequiresSession?: boolean;
  readonly RequiresDuplicateDetection?: boolean;
  readonly DuplicateDetectionHistoryTimeWindow?: string;
  readonly ForwardTo?: string;
  readonly ForwardDeadLetteredMessagesTo?: string;
  readonly MaxSizeInMegabytes?: number;
  readonly EnablePartitioning?: boolean;
  readonly AutoDeleteOnIdle?: string;
  readonly Status?: EntityStatus;
  readonly UserMetadata?: string;
}
