import { SobreError } from "../../../core/errors/sobre-error.ts";
import { errorTraits } from "../../../core/errors/traits.ts";
import { allows, type Grant } from "../access.ts";
import type { HttpHandler } from "../http/http-handler.ts";
import type { HttpRequest, HttpResponse } from "../http/http-message.ts";
import { jsonBody } from "../http/json-body.ts";
import { type Control, type ControlledServer, type ControlRoute } from "./control.ts";
import { controlPath, describeControl } from "./openapi.ts";
import { controlRoutes } from "./routes.ts";

/** The maximum size of a request's body, in bytes. */
const maxBytes = 2 ** 20;

/** Answers the requests that steer a server, in JSON. */
export class ControlEndpoint implements HttpHandler {
  readonly path: string = controlPath;
  readonly #control: Control;
  readonly #server: ControlledServer;

  constructor(control: Control, server: ControlledServer) {
    this.#control = control;
    this.#server = server;
  }

  /** @throws what is not an error for the client. */
  async answer(request: HttpRequest, grant: () => Promise<Grant>): Promise<HttpResponse> {
    try {
      return await this.#answer(request, await grant());
    } catch (error) {
      if (!(error instanceof SobreError)) throw error;
      const { code, message, path } = error;
      return inJson(errorTraits(code).httpStatus, { error: { code, message, ...(path !== undefined && { path }) } });
    }
  }

  async #answer(request: HttpRequest, grant: Grant): Promise<HttpResponse> {
    const { method, path, query } = request;
    if (!allows(grant, "", "Manage"))
      throw new SobreError(
        "UnauthorizedAccess",
        "Control requires a token with the Manage right on the whole namespace.",
      );
    if (path === controlPath || path === `${controlPath}/openapi.json`) return inJson(200, describeControl());
    const found = controlRoutes.filter((route) => nameIn(route, path) !== undefined);
    const route = found.find((one) => one.method === method);
    if (route === undefined) return unknown(path, found);
    const { status, run } = route;
    const own = this.#server.engineOf("");
    const wanted = query.get("namespace") ?? "";
    // The keys of a namespace open it alone.
    const isForAll = isAboutNamespaces(route) || (movesTime(route) && this.#server.hasKeys);
    if ((wanted !== "" || isForAll) && grant.engine !== own)
      throw new SobreError(
        "UnauthorizedAccess",
        "Only the keys of the server grant access to other namespaces, and to the time of them all.",
      );
    const answer = await run({
      control: this.#control,
      server: this.#server,
      target: this.#control.of(wanted === "" ? grant.engine : this.#server.engineOf(wanted)),
      name: nameIn(route, path) ?? "",
      query,
      body: route.body === undefined ? undefined : await jsonBody(request, maxBytes),
    });
    return answer === undefined ? { status } : inJson(status, answer);
  }
}

/** The parameter of a path; empty where the route has none, and `undefined` for the path of another route. */
function nameIn({ path }: ControlRoute, given: string): string | undefined {
  const [fixed = "", parameter] = path.split("{");
  const below = given.slice(controlPath.length + 1);
  if (parameter === undefined) return below === fixed ? "" : undefined;
  const name = below.startsWith(fixed) ? below.slice(fixed.length) : "";
  return name === "" || name.includes("/") ? undefined : name;
}

const movesTime = ({ path, method }: ControlRoute): boolean => path === "clock" && method !== "GET";

const isAboutNamespaces = ({ path }: ControlRoute): boolean => path.startsWith("namespaces");

function unknown(path: string, others: readonly ControlRoute[]): HttpResponse {
  if (others.length === 0)
    throw new SobreError("MessagingEntityNotFound", `There is no ${path}. GET /${controlPath} lists the operations.`);
  const allow = others.map(({ method }) => method).join(", ");
  const answer = inJson(405, { error: { code: "InvalidOperation", message: `The path supports ${allow}.` } });
  return { ...answer, headers: { ...answer.headers, allow } };
}

const inJson = (status: number, value: unknown): HttpResponse => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});
