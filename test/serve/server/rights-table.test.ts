import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { compare, type Visit } from "../../proof/rights/matrix.ts";
import {
  allowedIn,
  type Border,
  type Credential,
  type Operation,
  rules,
  type ServerModel,
  takesOver,
} from "../../proof/rights/model.ts";
import { models, startWorld } from "../../proof/rights/worlds.ts";

const all = ["Send", "Listen", "Manage"] as const;

/** A server with keys and one more namespace, where access tokens are verified for these. */
const keyed = (tokenNamespaces: ServerModel["tokenNamespaces"]): ServerModel => ({
  namespaces: [
    { name: "", keys: { root: all } },
    { name: "tenant", keys: { tenant: all } },
  ],
  tokenNamespaces,
});
const keyless: ServerModel = { namespaces: [{ name: "", keys: undefined }], tokenNamespaces: "none" };

const whole = { scope: "", genuine: true } as const;
const rootKey: Credential = { kind: "key", keyName: "root", namespace: "", ...whole };
const tenantKey: Credential = { kind: "key", keyName: "tenant", namespace: "tenant", ...whole };
const token = (namespace: string): Credential => ({ kind: "token", namespace, rights: all, ...whole });
const nothing: Credential = { kind: "none", ...whole };

/** The rights of an operation, in words. */
function needsOf(operation: Operation): string {
  const places = { entity: "it", other: "the other one", namespace: "the whole namespace" };
  const [first, second] = rules[operation].needs;
  if (second === undefined) return `${first.right} on ${places[first.on]}`;
  if (second.right === first.right) return `${first.right} on both`;
  return `${first.right} on it, ${second.right} on ${places[second.on]}`;
}

/** Whether a client may do something to entities of a namespace, and does it there. */
const may = (server: ServerModel, credential: Credential, namespace: string, operation: Operation): boolean => {
  // A client that shows nothing has no password either.
  const border = rules[operation].borders.find((one) => one !== "AMQP PLAIN") ?? "HTTP";
  const host = namespace === "" ? "localhost" : `${namespace}.localhost`;
  return allowedIn(server, [credential], { host, border }, { operation, entity: "a", other: "b" }) === namespace;
};

/** Whoever may do something: with a key, with an access token, and with nothing. */
function doersOf(operation: Operation): readonly string[] {
  const isLent = may(keyed("all"), rootKey, "tenant", operation) || may(keyed("all"), tenantKey, "", operation);
  const isOpen = may(keyed("all"), nothing, "", operation) || may(keyed("all"), nothing, "tenant", operation);
  if (isLent || isOpen || !may(keyed("main"), rootKey, "", operation))
    throw new Error(`The model of ${operation} is wrong.`);
  const isOfEach = may(keyed("main"), tenantKey, "tenant", operation);
  const others = may(keyed("main"), token("tenant"), "tenant", operation)
    ? "in each"
    : may(keyed("all"), token("tenant"), "tenant", operation)
      ? "in the server's own; in others with `all`"
      : "in the server's own";
  return [
    isOfEach ? "of that namespace" : "of the server's own",
    may(keyed("main"), token(""), "", operation) ? others : "never",
    may(keyless, nothing, "", operation) ? "where there are no keys" : "never",
  ];
}

/** Whoever takes over a link. */
function takersOf(): readonly string[] {
  const way = { host: "localhost", border: "AMQP $cbs" } as const;
  const takes = (server: ServerModel, one: Credential, other: Credential): boolean =>
    takesOver(server, [one, other], way, { entity: "a", attached: ["a"] });
  const [alice, bob] = ["alice", "bob"].map((subject) => ({ ...token(""), subject }));
  if (alice === undefined || bob === undefined) throw new Error("There are two.");
  const byKey = takes(keyed("main"), rootKey, rootKey) && !takes(keyed("main"), alice, rootKey);
  const bySubject = takes(keyed("main"), alice, alice) && !takes(keyed("main"), alice, bob);
  return [
    byKey ? "the same one" : "any",
    bySubject ? "of the same subject" : "any",
    takes(keyless, nothing, nothing) ? "where there are no keys" : "never",
  ];
}

/** Who may do what, as the model decides it, as a table of Markdown. */
function rightsTable(): string {
  const rows = Object.keys(rules)
    .filter(isOperation)
    .map((operation) => [
      rules[operation].does,
      placesOf(rules[operation].borders),
      needsOf(operation),
      ...doersOf(operation),
    ]);
  const head = ["to …", "over", "it takes", "with a key", "with an access token", "with nothing"];
  const link = ["take over a link of that name and container", "AMQP", "the link's right on its entity", ...takersOf()];
  const cells = [head, ...rows, link];
  const widths = head.map((_title, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const [top = "", ...lines] = cells.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`,
  );
  return [top, `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`, ...lines].join("\n");
}

const isOperation = (name: string): name is Operation => Object.hasOwn(rules, name);

/** Over AMQP, all ways in have the same rules. */
const placesOf = (borders: readonly Border[]): string => {
  const short = borders.map((border) => (border === "AMQP PLAIN" || border === "AMQP $cbs" ? "AMQP" : border));
  return [...new Set(short)].filter((border) => border !== "WebSocket").join(", ");
};

describe("the rights of clients", () => {
  it("are the table of docs/serve.md", () => {
    const page = readFileSync(new URL("../../../docs/serve.md", import.meta.url), "utf8");

    expect(/^\| to … [^]*?(?=\n\n)/m.exec(page)?.[0]).toBe(rightsTable());
  });

  it("are those of the table at every border of a server, with each right alone, on all entities and on one", async () => {
    const { keyed: model } = models;
    if (model === undefined) throw new Error("There is no such server.");
    const world = await startWorld("keyed", model, 100);
    const tried = world.credentials.filter(({ name }) =>
      /key (?:root|reader|sender) of "" for "a?"$|^a token for .* on "a" of ""$/.test(name),
    );
    const visits = tried.flatMap((one): readonly Visit[] => [
      ...(one.plain === undefined ? [] : [{ shown: [one], host: "localhost", border: "AMQP PLAIN" } as const]),
      { shown: [one], host: "localhost", border: "AMQP $cbs" },
      { shown: [one], host: "localhost", border: "WebSocket" },
      { shown: [one], host: "localhost", border: "HTTP" },
    ]);

    const decisions = await compare(world, visits);
    await world.server.close();

    expect(decisions).toBeGreaterThan(500);
  });
});
