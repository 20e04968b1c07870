import type { RequestListener } from "node:http";
import { stageList } from "../../core/codec/stage-list.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { errorTraits } from "../../core/errors/traits.ts";
import { checkOption, checkOptions, invalidOption, type OptionChecks } from "../../core/options/option-checks.ts";
import * as is from "../../core/options/is.ts";
import type { Grant, Right } from "../server/access.ts";
import { refusalOfPage } from "../server/foreign-page.ts";
import type { HttpHandler } from "../server/http/http-handler.ts";
import { httpListener } from "../server/http/http-listener.ts";
import type { HttpRequest, HttpResponse } from "../server/http/http-message.ts";
import { jsonBody } from "../server/http/json-body.ts";
import { isLoopback } from "../server/host-names.ts";
import { systemClock } from "../../core/time/clock.ts";
import { isObject } from "../../core/values/plain-object.ts";
import { callerOf, type Caller } from "./caller.ts";
import { JobShelf } from "./job-shelf.ts";
import type { InspectorOptions } from "./inspector-options.ts";
import type { InspectorParts } from "./inspector-parts.ts";
import { pageResponse, safeHeaders } from "./page-response.ts";
import { InspectorReading } from "./reading.ts";
import { createRedaction } from "./redaction.ts";
import { RedriveJobs } from "./redrive-jobs.ts";
import { changeRoutes } from "./change-routes.ts";
import { lookRoutes } from "./look-routes.ts";
import { requireChanges, type InspectorRoute } from "./route.ts";
import { oneLine } from "../../core/values/visible-text.ts";

/** A page over a broker, and its API: a handler for `startServer({ httpHandler })`, or a listener for a server of Node. */
export interface Inspector extends HttpHandler {
  /** Answers requests of Node's server to paths that begin with `path`; requires the option `engine`. */
  readonly listener: RequestListener;
  /** Ends its re-drives and deletions after their current step; resolves when they have. */
  close(): Promise<void>;
}

/**
 * Creates an inspector, which lets people look at queues and send dead letters back.
 *
 * Looking changes nothing: messages are peeked. On a server with keys, callers have the rights of their own key.
 *
 * @throws SobreError `InvalidArgument` naming the option, `directory` without an engine.
 * @example
 * ```ts
 * const inspector = createInspector({ serializer: createSerializer({ codecs: [json()] }) });
 * const server = await startServer({ queues: ["orders"], httpHandler: inspector });
 * console.log((await fetch(`http://localhost:${server.port}/$ui/api/entities`)).status); // 200
 * await server.close();
 * ```
 */
export function createInspector(options: InspectorOptions): Inspector {
  checkOptions(options, inspectorOptionChecks, { needed: ["serializer"] });
  if (options.directory !== undefined && options.engine === undefined)
    throw invalidOption("directory", "requires the option engine: whose re-drives are recorded there");
  return new MountedInspector(options);
}

const brokers: is.OptionCheck = (value) => {
  if (!isObject(value)) return "must be an object of engines by name";
  return Object.values(value)
    .map((one) => is.engine(one))
    .find((problem) => problem !== undefined);
};

const path: is.OptionCheck = (value) =>
  typeof value === "string" && /^\$[a-z]+$/.test(value) ? undefined : 'must be "$" and lower-case letters, e.g. "$ui"';

const inspectorOptionChecks: OptionChecks<InspectorOptions> = {
  serializer: is.serializer,
  engine: is.engine,
  stages: stageList,
  messageTypes: is.messageTypes,
  path,
  changes: is.flag,
  bodies: is.oneOf("shown", "onRequest"),
  redact: is.listOf("names of members and properties", is.name),
  brokers,
  directory: is.name,
  production: is.flag,
  onAudit: is.aFunction,
  authorize: is.aFunction,
  clock: is.clock,
};

const aRequest: is.OptionCheck = is.having("a request", {
  method: is.text,
  path: is.text,
  headers: is.object,
  query: is.methods("a URLSearchParams", "get", "has"),
  body: is.aFunction,
});

const allRights: readonly Right[] = ["Send", "Listen", "Manage"];

/** The maximum size of a request's body, in bytes. */
const maxBytes = 16 * 2 ** 20;

const operations: InspectorRoute = {
  method: "GET",
  path: "",
  summary: "Lists the operations.",
  answer: "operations",
  run: async () => ({
    operations: routes.map(({ method, path: where, summary, answer, changes = false }) => ({
      method,
      path: where,
      summary,
      answer,
      changes,
    })),
  }),
};

const routes: readonly InspectorRoute[] = [operations, ...lookRoutes, ...changeRoutes];

class MountedInspector implements Inspector {
  readonly path: string;
  readonly listener: RequestListener;
  readonly #parts: InspectorParts;

  constructor(options: InspectorOptions) {
    const { serializer, stages = [], messageTypes: types = [], redact = [], clock = systemClock } = options;
    const redaction = createRedaction(redact);
    const reading = new InspectorReading({ serializer, stages, messageTypes: types, redaction });
    const { engine, directory } = options;
    const journal = engine === undefined || directory === undefined ? undefined : { engine, directory };
    const others = new Map(Object.entries(options.brokers ?? {}));
    const jobs = new RedriveJobs({ serializer, stages, clock, reading, redaction, brokers: others, journal });
    this.#parts = { options, serializer, stages, reading, redaction, jobs, purges: new JobShelf() };
    this.path = options.path ?? "$ui";
    this.listener = this.#listener();
  }

  async close(): Promise<void> {
    await Promise.all([this.#parts.jobs.close(), this.#parts.purges.close()]);
  }

  async answer(request: HttpRequest, grant: () => Promise<Grant>): Promise<HttpResponse> {
    checkOption("request", request, aRequest);
    checkOption("grant", grant, is.aFunction);
    const below = request.path.slice(this.path.length + 1);
    const { method } = request;
    if (below !== "api" && !below.startsWith("api/")) {
      const page = method === "GET" || method === "HEAD" ? await pageResponse(below, request, this.path) : undefined;
      return page ?? refused(new SobreError("MessageNotFound", "There is no such page."));
    }
    try {
      return await this.#answerCall(below.slice("api/".length), request, grant);
    } catch (error) {
      if (error instanceof SobreError) return refused(error);
      throw error;
    }
  }

  async #answerCall(called: string, request: HttpRequest, grant: () => Promise<Grant>): Promise<HttpResponse> {
    checkOrigin(request);
    const caller = callerOf(await grant());
    const { route, id } = routeOf(called, request.method);
    if (route.changes === true) requireChanges(this.#parts);
    const { query, abortSignal } = request;
    const body = route.method === "POST" ? await jsonBody(request, maxBytes) : undefined;
    const answer = await route.run({
      caller,
      parts: this.#parts,
      query,
      id,
      body,
      abortSignal,
      audit: (action, entity, detail) => this.#audit(caller, action, entity, detail),
    });
    const lines = typeof answer === "string";
    return {
      status: 200,
      headers: { ...safeHeaders, ...fresh, "content-type": lines ? "application/x-ndjson" : "application/json" },
      body: lines ? answer : JSON.stringify(answer),
    };
  }

  #audit({ name: caller }: Caller, action: string, entity: string, detail: string): void {
    const { onAudit, clock = systemClock } = this.#parts.options;
    const time = new Date(clock.now());
    // Whoever asks writes the names of entities, brokers and members.
    onAudit?.({ time, caller: caller ?? undefined, action, entity: oneLine(entity), detail: oneLine(detail) });
  }

  #listener(): RequestListener {
    const answer = httpListener({ answer: (request) => this.#answerAlways(request) });
    return (incoming, outgoing) => {
      checkOption("incoming", incoming, is.methods("a request of Node's server", "pipe"));
      checkOption("outgoing", outgoing, is.methods("a response of Node's server", "writeHead", "end"));
      const { remoteAddress = "" } = incoming.socket;
      const isNear = isLoopback(remoteAddress.replace(/^::ffff:/, ""));
      if (this.#parts.options.authorize !== undefined || isNear) answer(incoming, outgoing);
      else
        outgoing
          .writeHead(403, { ...safeHeaders })
          .end("Without the option authorize, the inspector answers this machine only.");
    };
  }

  /** Never rejects: that would end the process. */
  async #answerAlways(request: HttpRequest): Promise<HttpResponse> {
    try {
      return await this.#answerAlone(request);
    } catch (error) {
      return refused(new SobreError("GeneralError", "The inspector failed on this request.", { cause: error }));
    }
  }

  async #answerAlone(request: HttpRequest): Promise<HttpResponse> {
    const { authorize } = this.#parts.options;
    const { host, origin } = request.headers;
    const why = authorize === undefined ? refusalOfPage({ host, origin }) : undefined;
    if (why !== undefined) return refused(new SobreError("UnauthorizedAccess", why));
    if (request.path === "") return { status: 302, headers: { ...safeHeaders, location: `/${this.path}/` } };
    if (request.path !== this.path && !request.path.startsWith(`${this.path}/`))
      return refused(new SobreError("MessageNotFound", `The inspector is at /${this.path}/.`));
    return this.answer(request, () => this.#ownGrant(request));
  }

  async #ownGrant(request: HttpRequest): Promise<Grant> {
    const { engine, authorize } = this.#parts.options;
    if (engine === undefined) throw new SobreError("InvalidOperation", "An inspector with a listener needs an engine.");
    if (authorize === undefined) return { engine, scope: "", rights: allRights, expiresAt: Infinity };
    try {
      const { name: keyName, rights } = await authorize(request);
      return { engine, scope: "", rights, keyName, expiresAt: Infinity };
    } catch (error) {
      throw new SobreError("UnauthorizedAccess", "The request was not authorized.", { cause: error });
    }
  }
}

const fresh = { "cache-control": "no-store" } as const;

/** Other sites can make browsers send requests, but not under this origin, nor with this type. */
function checkOrigin({ method, headers, isSecure }: HttpRequest): void {
  const { host = "", origin, "sec-fetch-site": site = "same-origin", "content-type": type = "" } = headers;
  // A proxy may have ended TLS.
  const own = isSecure ? [`https://${host}`] : [`http://${host}`, `https://${host}`];
  const isOwn = (origin === undefined || own.includes(origin)) && (site === "same-origin" || site === "none");
  if (!isOwn) throw new SobreError("UnauthorizedAccess", "The inspector refuses requests of other sites.");
  if (method === "POST" && !/^application\/json\b/i.test(type))
    throw new SobreError("InvalidArgument", "The body must be application/json.");
}

function routeOf(called: string, method: string): { readonly route: InspectorRoute; readonly id: string } {
  for (const route of routes) {
    const pattern = new RegExp(`^${route.path.replace("{id}", "([^/]+)")}$`);
    const [whole, id = ""] = pattern.exec(called) ?? [];
    if (whole !== undefined && route.method === method) return { route, id };
  }
  throw new SobreError("MessageNotFound", "The API of the inspector has no such operation.");
}

function refused({ code, message, path: where }: SobreError): HttpResponse {
  const error = { code, message, ...(where !== undefined && { path: where }) };
  return {
    status: errorTraits(code).httpStatus,
    headers: { ...safeHeaders, ...fresh, "content-type": "application/json" },
    body: JSON.stringify({ error }),
  };
}
