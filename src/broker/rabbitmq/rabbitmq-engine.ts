import { type EntitySetup, creations, setupChecks } from "../../core/engine/entity-setup.ts";
import type { Engine } from "../../core/engine/engine.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import { durationFrom } from "../../core/options/duration-option.ts";
import * as is from "../../core/options/is.ts";
import { type Clock, systemClock } from "../../core/time/clock.ts";
import { type DurationLike, toMilliseconds } from "../../core/time/duration.ts";
import { BrokerConnection } from "../policy/connection.ts";
import { RabbitmqHome } from "./rabbitmq-home.ts";
import { RabbitmqVerbs } from "./rabbitmq-verbs.ts";

/** Options of {@link rabbitmqEngine}. */
export interface RabbitmqEngineOptions extends EntitySetup {
  /** The broker, e.g. `amqp://user:password@host/vhost`, or `amqps://` with TLS. */
  readonly url: string;
  /** The beginning of all names in RabbitMQ, one for each namespace. Default: `sobre.`. */
  readonly prefix?: string | undefined;
  /** Time between two signs of life on a connection, 1 to 300 seconds. Default: 30 seconds. */
  readonly heartbeat?: DurationLike | undefined;
  /** Options of TLS connections, as of `tls.connect`: `ca`, `cert`, `key`, `servername`. */
  readonly tls?: object | undefined;
  /** The clock of locks, and of times to live on receiving. Default: that of the system. */
  readonly clock?: Clock | undefined;
}

const engineOptionChecks: OptionChecks<RabbitmqEngineOptions> = {
  ...setupChecks,
  url: is.name,
  prefix: is.text,
  heartbeat: durationFrom(1000, 300_000),
  tls: is.object,
  clock: is.methods("a Clock, as ManualClock", "now", "setTimer"),
};

/**
 * Opens a RabbitMQ 3.10 or newer as an engine, for any number of processes at once.
 *
 * Entities in the options are created if missing; existing ones are unchanged. What the engine refuses is in its `capabilities`.
 *
 * @throws SobreError `InvalidArgument` naming the option, `ServiceCommunicationProblem` when the broker cannot be reached,
 * `UnauthorizedAccess`, `InvalidOperation` for a virtual host that is missing or a version that is too old, and
 * `UnsupportedCapability` for entities with what it refuses.
 * @example
 * ```ts
 * const openOrders = () => rabbitmqEngine({ url: "amqp://localhost", queues: ["orders"] });
 * ```
 */
export async function rabbitmqEngine(options: RabbitmqEngineOptions): Promise<Engine> {
  checkOptions(options, engineOptionChecks, { needed: ["url"] });
  const { url, prefix = "sobre.", heartbeat = 30_000, tls, clock = systemClock } = options;
  if (!/^amqps?:\/\//.test(url) || !URL.canParse(url))
    throw invalidOption("url", "must be an address such as amqp://user:password@host/vhost");
  if (prefix.length > 60) throw invalidOption("prefix", "must have at most 60 characters");
  const seconds = Math.round(toMilliseconds(heartbeat, "heartbeat") / 1000);
  const home = new RabbitmqHome({ url, prefix, heartbeat: seconds, tls, clock });
  const engine = new BrokerConnection(new RabbitmqVerbs(home), () => home.close());
  try {
    await home.log.refresh();
    for (const { address, create, failed } of creations(options, engine.admin)) {
      if (home.log.find(address) !== undefined) continue;
      await create().catch((error: unknown) => {
        if (!(error instanceof SobreError) || error.code !== "MessagingEntityAlreadyExists") throw failed(error);
      });
    }
    return engine;
  } catch (error) {
    await engine.close();
    throw error;
  }
}
