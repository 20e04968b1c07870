import { isObject } from "../values/plain-object.ts";
import { invalidOption } from "../options/option-checks.ts";
import { SobreError } from "../errors/sobre-error.ts";

/**
 * The names of all capabilities, in the terms of the message model.
 *
 * Some are parts of others, for engines that lack them: `cancelScheduled` of `schedule`, `namedSessions` and `nextSession` of
 * `sessions` (accepting one by its id, or any that is free), `ruleFilters` (conditions other than true) and `ruleActions` of
 * `topics`.
 */
export const capabilityNames = [
  "peekLock",
  "receiveAndDelete",
  "renewLock",
  "deadLetter",
  "defer",
  "schedule",
  "cancelScheduled",
  "sequenceNumbers",
  "peek",
  "timeToLive",
  "sessions",
  "namedSessions",
  "nextSession",
  "sessionState",
  "topics",
  "ruleFilters",
  "ruleActions",
  "duplicateDetection",
  "autoForward",
  "transactions",
  "administration",
  "inspect",
] as const;

/** A feature that an engine may support. */
export type Capability = (typeof capabilityNames)[number];

/** How an engine supports a capability: natively, by emulation, or not at all. */
export interface Support {
  readonly level: "native" | "emulated" | "refused";
  /** Why it is refused, or what the emulation lacks, in one sentence. */
  readonly note?: string;
}

/** The support of every capability; none degrades silently. */
export type Capabilities = Readonly<Record<Capability, Support>>;

const native = { level: "native" } as const;

/** Native support for all; engines override the exceptions. */
export const nativeCapabilities: Capabilities = {
  peekLock: native,
  receiveAndDelete: native,
  renewLock: native,
  deadLetter: native,
  defer: native,
  schedule: native,
  cancelScheduled: native,
  sequenceNumbers: native,
  peek: native,
  timeToLive: native,
  sessions: native,
  namedSessions: native,
  nextSession: native,
  sessionState: native,
  topics: native,
  ruleFilters: native,
  ruleActions: native,
  duplicateDetection: native,
  autoForward: native,
  transactions: native,
  administration: native,
  inspect: native,
};

/** @throws SobreError `UnsupportedCapability` when the engine refuses it. */
export function requireCapability(
  engine: { readonly name: string; readonly capabilities: Capabilities },
  capability: Capability,
): void {
  if (!isObject(engine) || !isObject(engine.capabilities))
    throw invalidOption("engine", "must be an engine with capabilities");
  const support: Support | undefined = engine.capabilities[capability];
  if (!isObject(support)) throw invalidOption("capability", `must be one of ${capabilityNames.join(", ")}`);
  const { level, note } = support;
  if (level !== "refused") return;
  throw new SobreError(
    "UnsupportedCapability",
    `The engine "${engine.name}" does not support ${capability}${note === undefined ? "" : `: ${note}`}.`,
  );
}
