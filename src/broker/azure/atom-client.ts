import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { DescribedEntity } from "../../wire/http/atom-description.ts";
import { child, readXml, type HttpXmlElement } from "../../wire/http/xml.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { statusError } from "./broker-errors.ts";
import { audienceOf } from "./claims.ts";
import type { BrokerAddress } from "./connection-string.ts";
import type { TokenSource } from "./tokens.ts";
import { unreachable } from "./transport.ts";

/** Where and how to manage a broker's entities. */
export interface AtomClientOptions {
  readonly settings: BrokerAddress;
  readonly tokens: TokenSource;
  /** Default: that of the connection string, or that of the protocol. */
  readonly httpPort?: number | undefined;
  /** Certificate authorities to trust besides the system's, as PEM. */
  readonly ca?: string | undefined;
}

/** The entity that an entry of a feed describes. */
export interface AtomEntry {
  readonly name: string;
  readonly description: HttpXmlElement;
}

interface AtomAnswer {
  readonly status: number;
  readonly body: string;
}

/** Time limit for the answer to a request, in milliseconds. */
const patience = 60_000;
/** The version of the service's interface. */
const version = "api-version=2021-05";
/** Entries of one page. */
const pageSize = 100;

/** A client of the service's Atom API for managing entities. */
export class AtomClient {
  readonly #options: AtomClientOptions;

  constructor(options: AtomClientOptions) {
    this.#options = options;
  }

  /** The description at a path. @throws SobreError `MessagingEntityNotFound`. */
  async read(path: string): Promise<HttpXmlElement> {
    const { body } = await this.#ask("GET", path);
    const [entry] = entriesOf(body);
    // The service answers with an empty list for what does not exist.
    if (entry === undefined) throw notFound(path);
    return entry.description;
  }

  /** All entries of a list. */
  async list(path: string): Promise<readonly AtomEntry[]> {
    const all: AtomEntry[] = [];
    for (;;) {
      const { body } = await this.#ask("GET", `${path}?$skip=${all.length}&$top=${pageSize}`);
      const entries = entriesOf(body);
      all.push(...entries);
      if (entries.length < pageSize) return all;
    }
  }

  /** Creates what the elements describe, or with `update` changes it. */
  async write(
    path: string,
    what: DescribedEntity | "Rule",
    elements: string,
    mode: "create" | "update",
  ): Promise<void> {
    const body =
      `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><${what}Description ` +
      'xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">' +
      `${elements}</${what}Description></content></entry>`;
    await this.#ask("PUT", path, { body, mode });
  }

  async remove(path: string): Promise<void> {
    await this.#ask("DELETE", path);
  }

  async #ask(
    method: string,
    path: string,
    content?: { readonly body: string; readonly mode: "create" | "update" },
  ): Promise<AtomAnswer> {
    const { settings, tokens } = this.#options;
    const { header } = await tokens(audienceOf(settings, ""), Date.now());
    const answer = await this.#send(method, path, header, content);
    if (answer.status >= 200 && answer.status < 300) return answer;
    const detail = detailOf(answer.body);
    if (answer.status === 404) throw notFound(path.replace(/\?.*$/, ""), detail);
    throw statusError(answer.status, detail);
  }

  #send(
    method: string,
    path: string,
    authorization: string,
    content: { readonly body: string; readonly mode: "create" | "update" } | undefined,
  ): Promise<AtomAnswer> {
    const { settings, httpPort, ca } = this.#options;
    const { host, secure } = settings;
    const port = httpPort ?? settings.port ?? (secure ? 443 : 5300);
    const [where = "", query] = path.split("?");
    const url = `/${where.split("/").map(escapedSegment).join("/")}?${query === undefined ? "" : `${query}&`}${version}`;
    const headers = {
      authorization,
      ...(content === undefined ? {} : { "content-type": "application/atom+xml;type=entry;charset=utf-8" }),
      ...(content?.mode === "update" ? { "if-match": "*" } : {}),
    };
    return new Promise((resolve, reject) => {
      const failed = (error: Error): void => reject(unreachable(`${host}:${port}`, error));
      const ask = secure ? requestHttps : requestHttp;
      const request = ask(
        { method, host, port, path: url, headers, agent: false, timeout: patience, ...(secure ? { ca } : {}) },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", failed);
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 500, body: Buffer.concat(chunks).toString("utf8") }),
          );
        },
      );
      request.on("timeout", () => request.destroy(new Error(`no answer within ${patience / 1000} s`)));
      request.on("error", failed);
      request.end(content?.body);
    });
  }
}

/** The service's own lists begin with a dollar sign, which is not escaped. */
const escapedSegment = (segment: string): string => encodeURIComponent(segment).replace(/^%24/, "$");

function entriesOf(body: string): readonly AtomEntry[] {
  if (body.trim() === "") return [];
  const document = readXml(body);
  const entries = document.name === "entry" ? [document] : document.children.filter(({ name }) => name === "entry");
  return entries.flatMap((entry) => {
    const description = child(entry, "content")?.children[0];
    return description === undefined ? [] : [{ name: child(entry, "title")?.text ?? "", description }];
  });
}

function detailOf(body: string): string {
  try {
    return child(readXml(body), "Detail")?.text ?? "";
  } catch {
    return "";
  }
}

const notFound = (path: string, detail = ""): SobreError =>
  new SobreError(
    "MessagingEntityNotFound",
    detail === "" ? `The messaging entity '${path}' could not be found. Create it, or check its name.` : detail,
  );
