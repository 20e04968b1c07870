import { isObject } from "../values/plain-object.ts";
import { invalidOption } from "../options/option-checks.ts";
import { SobreError } from "../errors/sobre-error.ts";

/** Everything that an engine may be able to do, in the words of the message model. */
export const capabilityNames = [
  "peekLock",
  "receiveAndDelete",
  "renewLock",
  "deadLetter",
  "defer",
  "schedule",
  "peek",
  "timeToLive",
  "sessions",
  "sessionState",
  "topics",
  "duplicateDetection",
  "autoForward",
  "transactions",
  "administration",
] as const;

/** Something that an engine may be able to do. */
export type Capability = (typeof capabilityNames)[number];

/** How an engine provides a capability: by itself, by work around it, or not at all. */
export interface Support {
  readonly level: "native" | "emulated" | "refused";
  /** Why it is refused or what the emulation lacks, in one sentence. */
  readonly note?: string;
}

/** Every capability with its support; nothing degrades silently. */
export type Capabilities = Readonly<Record<Capability, Support>>;

const native = { level: "native" } as const;

/** All of them, natively; engines name what is otherwise. */
export const nativeCapabilities: Capabilities = {
  peekLock: native,
  receiveAndDelete: native,
  renewLock: native,
  deadLetter: native,
  defer: native,
  schedule: native,
  peek: native,
  timeToLive: native,
  sessions: native,
  sessionState: native,
  topics: native,
  duplicateDetection: native,
  autoForward: native,
  transactions: native,
  administration: native,
};

/** @throws SobreError `UnsupportedCapability` when the engine refuses it. */
export function requireCapability(
  engine: { readonly name: string; readonly capabilities: Capabilities },
  capability: Capability,
): void {
  if (!isObject(engine) || !isObject(engine.capabilities))
    throw invalidOption("engine", "must be an engine, which has capabilities");
  const support: Support | undefined = engine.capabilities[capability];
  if (!isObject(support)) throw invalidOption("capability", `must be one of ${capabilityNames.join(", ")}`);
  const { level, note } = support;
  if (level !== "refused") return;
  throw new SobreError(
    "UnsupportedCapability",
    `The engine "${engine.name}" refuses ${capability}${note === undefined ? "" : `: ${note}`}.`,
  );
}
