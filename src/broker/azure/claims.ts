import { SobreError } from "../../core/errors/sobre-error.ts";
import type { Clock, Timer } from "../../core/time/clock.ts";
import { statusError } from "./broker-errors.ts";
import type { BrokerAddress } from "./connection-string.ts";
import type { RequestLinks } from "./request-links.ts";
import type { TokenSource } from "./tokens.ts";
import { numberOf, looseText } from "../../core/amqp-values/loose-value.ts";

/** The audience of a token for an address. */
export function audienceOf({ host, port }: BrokerAddress, address: string): string {
  const name = host.includes(":") ? `[${host}]` : host;
  return `sb://${name}${port === undefined ? "" : `:${port}`}/${address}`;
}

/** The tokens that a connection has put, each renewed before it expires (AMQP Claims-based Security). */
export class Claims {
  readonly #broker: BrokerAddress;
  readonly #tokens: TokenSource;
  readonly #links: () => Promise<RequestLinks>;
  readonly #clock: Clock;
  readonly #shown = new Map<string, Promise<void>>();
  readonly #renewals = new Set<Timer>();
  #closed = false;

  constructor(broker: BrokerAddress, tokens: TokenSource, links: () => Promise<RequestLinks>, clock: Clock) {
    this.#broker = broker;
    this.#tokens = tokens;
    this.#links = links;
    this.#clock = clock;
  }

  /** Puts a token for an address unless there is a valid one. @throws SobreError `UnauthorizedAccess`. */
  authorize(address: string): Promise<void> {
    const audience = audienceOf(this.#broker, address);
    const known = this.#shown.get(audience);
    if (known !== undefined) return known;
    const shown = this.#show(audience);
    this.#shown.set(audience, shown);
    // The next link tries a refused claim again.
    shown.catch(() => this.#shown.delete(audience));
    return shown;
  }

  /** Called when the connection has ended. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#renewals) timer.cancel();
    this.#renewals.clear();
  }

  async #show(audience: string): Promise<void> {
    const [links, { token, type, renewAt }] = await Promise.all([
      this.#links(),
      this.#tokens(audience, this.#clock.now()),
    ]);
    const answer = await links.request({
      applicationProperties: { operation: "put-token", type, name: audience },
      properties: { to: "$cbs" },
      body: { kind: "value", value: token },
    });
    const properties = answer.applicationProperties;
    const status = numberOf(properties?.get("status-code") ?? properties?.get("statusCode"));
    const refusalText = looseText(properties?.get("status-description") ?? properties?.get("statusDescription")) ?? "";
    if (status === undefined) throw new SobreError("GeneralError", "The broker's answer to put-token has no status.");
    if (status < 200 || status > 299)
      throw status === 404 ? statusError(401, refusalText) : statusError(status, refusalText);
    if (renewAt !== undefined && !this.#closed) this.#renewLater(audience, renewAt);
  }

  #renewLater(audience: string, renewAt: number): void {
    const timer = this.#clock.setTimer(renewAt, () => {
      this.#renewals.delete(timer);
      // The broker detaches the links of an expired token, and their users get that error.
      void this.#show(audience).catch(() => this.#shown.delete(audience));
    });
    this.#renewals.add(timer);
  }
}
