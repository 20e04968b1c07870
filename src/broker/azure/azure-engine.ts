import type { Engine } from "../../core/engine/engine.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import {
  aFunction,
  anything,
  checkOptions,
  methods,
  name,
  type OptionCheck,
  type OptionChecks,
} from "../../core/options/option-checks.ts";
import { duration } from "../../core/options/duration-option.ts";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";
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
  /** Port of the management API. Default: the port in the connection string, else 443, or 5300 for an emulator. */
  readonly httpPort?: number | undefined;
  /** Certificates to trust besides the system's, as PEM. Default: none. */
  readonly ca?: string | undefined;
  /** The broker's clock, for waits. Default: the system clock. */
  readonly clock?: Clock | undefined;
  /** The clock for tokens, reconnection and requests. Default: the system clock. */
  readonly connectionClock?: Clock | undefined;
  /**
   * Minimum wait of a receive before it withdraws its credit, since a remote service needs time to answer. Default: 1
   * second, or 0 for an emulator.
   */
  readonly minWaitTime?: DurationLike | undefined;
  /** How long to wait for the broker's answer to a connection, link, request or settlement. Default: 1 minute. */
  readonly timeout?: DurationLike | undefined;
  /**
   * Time without traffic after which a connection counts as lost; the broker is asked to send twice as often. Default:
   * 2 minutes.
   */
  readonly idleTimeout?: DurationLike | undefined;
}

const aClock = methods("a clock, e.g. a ManualClock", "now", "setTimer");

const aPort: OptionCheck = (value) =>
  typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 65_535
    ? undefined
    : "must be a whole number from 1 to 65535";

const azureEngineChecks: OptionChecks<AzureEngineOptions> = {
  // The texts are read right after.
  connectionString: anything,
  fullyQualifiedNamespace: anything,
  credential: credentialCheck,
  transport: aFunction,
  httpPort: aPort,
  ca: name,
  clock: aClock,
  connectionClock: aClock,
  minWaitTime: duration,
  timeout: duration,
  idleTimeout: duration,
};

/**
 * Creates an engine over AMQP 1.0 for a namespace of Azure Service Bus or a compatible server.
 *
 * It connects on first use, and reconnects on the next use after the connection was lost, with a growing pause while
 * connecting fails. Calls pending at the loss fail with `ServiceCommunicationProblem`; clients retry them.
 *
 * @example
 * ```ts
 * const fullyQualifiedNamespace = "shop.servicebus.windows.net";
 * const credential = { getToken: async () => null }; // new DefaultAzureCredential() of @azure/identity
 * const engine = azureEngine({ fullyQualifiedNamespace, credential });
 * ```
 * @throws SobreError `InvalidArgument` for an invalid connection string, or naming the invalid option.
 */
export function azureEngine(options: AzureEngineOptions): Engine {
  checkOptions(options, azureEngineChecks);
  const { settings, credential } = namespaceOf(options);
  const tokens = credential === undefined ? signedTokens(settings) : credentialTokens(credential);
  const { ca, httpPort, clock = systemClock, connectionClock = systemClock } = options;
  const { timeout = 60_000, idleTimeout = 120_000, minWaitTime = settings.secure ? 1000 : 0 } = options;
  return new AzureConnection({
    settings,
    tokens,
    transport: options.transport ?? (settings.webSockets ? webSocketTransport() : tcpTransport(ca)),
    atom: new AtomClient({ settings, tokens, httpPort, ca }),
    clock,
    timing: {
      clock: connectionClock,
      answer: toMilliseconds(timeout, "timeout"),
      idle: toMilliseconds(idleTimeout, "idleTimeout"),
    },
    minWaitTimeInMs: toMilliseconds(minWaitTime, "minWaitTime"),
  });
}
