import type { Engine } from "../../engine/engine.ts";
import { type Clock, systemClock } from "../../time/clock.ts";
import {
  aFunction,
  anything,
  checkOptions,
  methods,
  milliseconds,
  name,
  type OptionCheck,
  type OptionChecks,
} from "../../options/option-checks.ts";
import { AtomClient } from "./atom-client.ts";
import { AzureConnection } from "./azure-connection.ts";
import { type AzureNamespace, credentialCheck, namespaceOf } from "./azure-namespace.ts";
import { credentialTokens, signedTokens } from "./tokens.ts";
import { tcpTransport, type Transport } from "./transport.ts";
import { webSocketTransport } from "./web-socket-transport.ts";

/** Options of {@link azureEngine}. */
export type AzureEngineOptions = AzureNamespace & AzureEngineSettings;

/** Options of {@link azureEngine} besides the namespace. */
export interface AzureEngineSettings {
  /** The transport of AMQP. Default: the one in the connection string, or else a TLS socket on port 5671. */
  readonly transport?: Transport | undefined;
  /** Port of the administration. Default: the string's port, else 443, or 5300 of an emulator. */
  readonly httpPort?: number | undefined;
  /** PEM of certificates to trust besides the machine's. Default: none. */
  readonly ca?: string | undefined;
  /** The broker's time, which waits for messages go by. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
  /** The clock of tokens, reconnection and requests. Default: the machine's. */
  readonly connectionClock?: Clock | undefined;
  /**
   * Milliseconds that a receive waits at least before it takes back its credit, since a service far away needs a moment
   * to look. Default: 1000, or 0 of an emulator.
   */
  readonly leastWait?: number | undefined;
  /** Milliseconds that the broker has to answer: a connection, a link, a request, a settlement. Default: 60,000. */
  readonly timeoutInMs?: number | undefined;
  /** Milliseconds of silence after which a connection is given up; the broker is asked to speak twice as often. Default: 120,000. */
  readonly idleTimeoutInMs?: number | undefined;
}

const aClock = methods("a Clock, as ManualClock", "now", "setTimer");

const aPort: OptionCheck = (value) =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535
    ? undefined
    : "must be a whole number from 1 to 65535";

const checks: OptionChecks<AzureEngineOptions> = {
  // The texts are read right after.
  connectionString: anything,
  fullyQualifiedNamespace: anything,
  credential: credentialCheck,
  transport: aFunction,
  httpPort: aPort,
  ca: name,
  clock: aClock,
  connectionClock: aClock,
  leastWait: milliseconds,
  timeoutInMs: milliseconds,
  idleTimeoutInMs: milliseconds,
};

/**
 * Makes an engine over AMQP 1.0 for a namespace of Azure Service Bus, or for a server that speaks like one.
 *
 * It connects when it is first used, and again by the next use after the connection was lost, with a pause that grows
 * while connecting fails. What was waiting then is refused as `ServiceCommunicationProblem`; clients try again.
 *
 * @example
 * ```ts
 * import { DefaultAzureCredential } from "@azure/identity";
 *
 * const fullyQualifiedNamespace = "shop.servicebus.windows.net";
 * const engine = azureEngine({ fullyQualifiedNamespace, credential: new DefaultAzureCredential() });
 * ```
 * @throws SobreError `InvalidArgument` when the connection string cannot be read, or naming the option that is wrong.
 */
export function azureEngine(options: AzureEngineOptions): Engine {
  checkOptions(options, checks);
  const { settings, credential } = namespaceOf(options);
  const tokens = credential === undefined ? signedTokens(settings) : credentialTokens(credential);
  const { ca, httpPort, clock = systemClock, connectionClock = systemClock } = options;
  return new AzureConnection({
    settings,
    tokens,
    transport: options.transport ?? (settings.webSockets ? webSocketTransport() : tcpTransport(ca)),
    atom: new AtomClient({ settings, tokens, httpPort, ca }),
    clock,
    timing: { clock: connectionClock, answer: options.timeoutInMs ?? 60_000, idle: options.idleTimeoutInMs ?? 120_000 },
    leastWait: options.leastWait ?? (settings.secure ? 1000 : 0),
  });
}
