import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll } from "vitest";

/** A schema as it is registered. */
interface Registered {
  readonly schema: string;
  readonly schemaType?: string;
  readonly references?: readonly { readonly name: string; readonly subject: string; readonly version: number }[];
}

/** A stand-in for a schema registry. */
export interface RegistryStandIn {
  readonly url: string;
  /** The requests so far: method and path. */
  readonly requests: readonly string[];
  /** Puts an answer in the place of the registry's own: a status and a text, or none at all. */
  answers:
    | ((path: string) => readonly [status: number, text: string, headers?: object] | "silence" | undefined)
    | undefined;
}

const missing = (code: number): readonly [number, object] => [404, { error_code: code, message: "not found" }];

/** Starts a stand-in that speaks the REST interface; ids count from 1 in the order of the subjects. */
export async function startRegistry(
  subjects: Readonly<Record<string, readonly Registered[]>>,
  {
    modes = {},
    credentials,
    isCompatible = false,
  }: {
    readonly modes?: Readonly<Record<string, string>>;
    readonly credentials?: string;
    readonly isCompatible?: boolean;
  } = {},
): Promise<RegistryStandIn> {
  const all = Object.entries(subjects).flatMap(([subject, versions]) =>
    versions.map((one, at) => ({ subject, version: at + 1, ...one })),
  );
  const route = (path: string): readonly [number, unknown] => {
    const [, first = "", second = "", third = "", fourth = ""] =
      path.split("?")[0]?.split("/").map(decodeURIComponent) ?? [];
    if (first === "subjects" && second === "") return [200, Object.keys(subjects)];
    if (first === "subjects") {
      const own = all.filter(({ subject }) => subject === second);
      if (own.length === 0) return missing(40_401);
      if (third === "versions" && fourth === "") return [200, own.map(({ version }) => version)];
      const at = own.find(({ version }) => fourth === "latest" || String(version) === fourth);
      return at === undefined ? missing(40_402) : [200, { id: all.indexOf(at) + 1, ...at }];
    }
    if (first === "schemas" && second === "ids") {
      const own = all[Number(third) - 1];
      if (own === undefined) return missing(40_403);
      const { subject, version, ...schema } = own;
      return [200, fourth === "versions" ? [{ subject, version }] : schema];
    }
    if (first === "config") return [200, { compatibilityLevel: modes[second] ?? "BACKWARD" }];
    if (first === "compatibility") return [200, { is_compatible: isCompatible }];
    return missing(404);
  };
  const requests: string[] = [];
  const standIn: RegistryStandIn = { url: "", requests, answers: undefined };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { url: path = "", method = "", headers } = request;
    requests.push(`${method} ${path}`);
    const given = standIn.answers?.(path);
    if (given === "silence") return;
    const isAllowed =
      credentials === undefined || headers.authorization === `Basic ${Buffer.from(credentials).toString("base64")}`;
    const [status, answer] = isAllowed ? route(path) : [401, { error_code: 401, message: "Unauthorized" }];
    const [code, text, more = {}] = given ?? [status, JSON.stringify(answer)];
    response.writeHead(code, { "content-type": "application/vnd.schemaregistry.v1+json", ...more });
    response.end(text);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port }: AddressInfo = Object(server.address());
  return Object.assign(standIn, { url: `http://127.0.0.1:${port}` });
}
