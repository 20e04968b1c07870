import { type Access, allows, type Grant, ownerOf, type Right } from "../access.ts";
import type { Engine } from "../../../core/engine/engine.ts";
import { parseAddress } from "../../../core/engine/address.ts";
import { SobreError } from "../../../core/errors/sobre-error.ts";
import { answerAtom } from "./atom.ts";
import { answerData, targetOf } from "./data-plane.ts";
import type { HttpHandler } from "./http-handler.ts";
import type { HttpRequest, HttpResponse } from "./http-message.ts";
import { SealedLocks } from "./sealed-locks.ts";
import type { ServerHealth } from "../server-options.ts";
import type { RequestSource } from "../foreign-page.ts";
import { isPropertyHeader } from "../../../wire/http/property-headers.ts";
import { notAllowed, refusalOf } from "./refusal.ts";

/** Options of {@link HttpEndpoint}. */
export interface HttpEndpointOptions {
  readonly access: Access;
  /** Why a request that a web page may have sent is refused; `undefined` if it is not. */
  readonly refusalOfPage: (source: RequestSource) => string | undefined;
  /** Each answers what is below its path. Default: such paths name entities that cannot exist. */
  readonly handlers?: readonly HttpHandler[] | undefined;
  /** The path to which browsers are sent from `/`. Default: none. */
  readonly home?: string | undefined;
  /** Creates a missing entity on first use. Default: no entity is created. */
  readonly autoCreate?: ((engine: Engine, entity: string) => Promise<void>) | undefined;
  /** Answers `/health`. Default: that it is healthy. */
  readonly health?: (() => Promise<ServerHealth>) | undefined;
  /** Seals lock tokens. Default: a random one. */
  readonly lockSecret?: string | undefined;
  /** Called with an error of the server itself; the client gets only the tracking id. */
  readonly failed?: ((error: unknown, trackingId: string) => void) | undefined;
}

/** Answers HTTP requests to a broker: the runtime REST API, Atom administration and `/health`. */
export class HttpEndpoint {
  readonly #options: HttpEndpointOptions;
  readonly #locks: SealedLocks;
  /** Messages locked over HTTP are held by one connection per namespace. */
  readonly #engines = new Map<Engine, Promise<Engine>>();

  constructor(options: HttpEndpointOptions) {
    this.#options = options;
    this.#locks = new SealedLocks(options.lockSecret);
  }

  /** Never rejects. */
  async answer(request: HttpRequest): Promise<HttpResponse> {
    if (request.path === "health") return health(request, this.#options.health);
    try {
      return await this.#route(request);
    } catch (error) {
      return refusalOf(error, this.#options.failed);
    }
  }

  /** Ends its connections to the engines, and with them the locks taken over HTTP. */
  async close(): Promise<void> {
    const engines = [...this.#engines.values()];
    this.#engines.clear();
    await Promise.allSettled(engines.map(async (engine) => (await engine).close()));
  }

  async #route(request: HttpRequest): Promise<HttpResponse> {
    const { handlers = [], home } = this.#options;
    const [first] = request.path.split("/");
    const handler = handlers.find(({ path }) => path === first);
    if (handler !== undefined) return handler.answer(request, () => this.#grant(request));
    if (home !== undefined && isBrowserAtRoot(request)) return { status: 302, headers: { location: `/${home}/` } };
    const grant = await this.#grant(request);
    const target = targetOf(request.path);
    const right: Right = target === undefined ? "Manage" : target.rest.length === 0 ? "Send" : "Listen";
    if (!allows(grant, target?.entity ?? request.path, right))
      throw new SobreError("UnauthorizedAccess", `The token does not grant ${right} on this path.`);
    const engine = await this.#engineOf(grant.engine);
    if (target === undefined)
      return answerAtom(request, engine, (entity, header) => this.#manages(grant, entity, request, header));
    await this.#options.autoCreate?.(engine, parseAddress(target.entity).name);
    const { expiresAt } = grant;
    return answerData(target, request, { engine, locks: this.#locks.of(ownerOf(grant)), expiresAt });
  }

  async #grant({ headers }: HttpRequest): Promise<Grant> {
    const token = headers["authorization"] ?? headers["servicebusauthorization"];
    const { host } = headers;
    // Browsers never quote an origin: a quoted one is a property of the message.
    const origin = isPropertyHeader("origin", headers["origin"] ?? "") ? undefined : headers["origin"];
    const why = this.#options.refusalOfPage({ host, origin });
    if (why !== undefined) throw new SobreError("UnauthorizedAccess", why);
    const hostname = host?.replace(/:\d+$/, "");
    if (token !== undefined) return this.#options.access.token(token, hostname);
    const anonymous = this.#options.access.anonymous(hostname);
    if (anonymous !== undefined) return anonymous;
    throw new SobreError(
      "UnauthorizedAccess",
      "The request has no Authorization header. Sign it with a shared access key.",
    );
  }

  /** Whether the request may forward to an entity, by its own token or another one sent for that. */
  async #manages(grant: Grant, entity: string, { headers }: HttpRequest, header: string): Promise<boolean> {
    if (allows(grant, entity, "Manage")) return true;
    const token = headers[header];
    if (token === undefined) return false;
    const other = await this.#options.access.token(token, headers["host"]?.replace(/:\d+$/, ""));
    return other.engine === grant.engine && allows(other, entity, "Manage");
  }

  #engineOf(engine: Engine): Promise<Engine> {
    const known = this.#engines.get(engine) ?? engine.connect({ sharesBytes: true });
    this.#engines.set(engine, known);
    // The next request tries a failed connection again.
    known.catch(() => this.#engines.delete(engine));
    return known;
  }
}

const isBrowserAtRoot = ({ method, path, headers }: HttpRequest): boolean =>
  path === "" && (method === "GET" || method === "HEAD") && (headers["accept"] ?? "").includes("text/html");

const healthy = async (): Promise<ServerHealth> => ({ status: "healthy" });

async function health({ method }: HttpRequest, ask: () => Promise<ServerHealth> = healthy): Promise<HttpResponse> {
  if (method !== "GET" && method !== "HEAD") return notAllowed("GET, HEAD");
  const state = await ask().catch(() => ({ status: "unhealthy" }));
  const status = state.status === "healthy" ? 200 : 503;
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(state) };
}
