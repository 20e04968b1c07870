import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sobre } from "../calls.support.ts";
import { contractFolders, newer, older } from "./folders.support.ts";

const { folderOf, file } = contractFolders();
let files = 0;

interface Service {
  readonly service: string;
  readonly produces?: readonly string[];
  readonly consumes?: readonly string[];
}

/** A folder in which 1.1 requires what 1.0 does not. */
const orders = (...inFlight: readonly Service[]): string =>
  folderOf({ "order/1.0.schema.json": older, "order/1.1.schema.json": newer, "order/subject.json": { inFlight } });
const web = (...produces: readonly string[]): Service => ({ service: "web", produces });
const billing = (...consumes: readonly string[]): Service => ({ service: "billing", consumes });
const place = (): string => file(`deployments-${files++}.json`, "{}");
const deployed = (folder: string, service: string, where: string, env = "prod") =>
  sobre("contract", "deployed", service, "41", "-s", folder, "--file", where, "--env", env);
const canDeploy = (folder: string, service: string, where: string, ...args: readonly string[]) =>
  sobre("contract", "can-deploy", service, "-s", folder, "--file", where, "--env", "prod", ...args);

describe("sobre contract deployed and can-deploy", () => {
  it("keep what a service has in flight, by environment", async () => {
    const where = place();

    await deployed(orders(web("1.0")), "web", where);
    await deployed(orders(billing("1.0", "1.1")), "billing", where);
    await deployed(orders(web("1.0", "1.1")), "web", where, "test");

    const subjects = { order: { produces: ["1.0"], consumes: [] } };
    expect(JSON.parse(readFileSync(where, "utf8"))).toEqual({
      prod: {
        web: { version: "41", subjects },
        billing: { version: "41", subjects: { order: { produces: [], consumes: ["1.0", "1.1"] } } },
      },
      test: { web: { version: "41", subjects: { order: { produces: ["1.0", "1.1"], consumes: [] } } } },
    });
  });

  it("answer with the pair and its witness, in words and as JSON", async () => {
    const where = place();
    await deployed(orders(web("1.0")), "web", where);

    const { code, terminal } = await canDeploy(orders(billing("1.1")), "billing", where);
    const report = (await canDeploy(orders(billing("1.1")), "billing", where, "-f", "json")).terminal.text();

    expect(code).toBe(1);
    expect(terminal.text()).toContain("breaking  order 1.0 → 1.1");
    expect(terminal.text()).toContain('witness {"id":""}');
    expect(terminal.errors()).toBe("sobre: billing cannot be deployed to prod, next to 1 other service\n");
    const [pair] = JSON.parse(report).pairs;
    expect([pair.older, pair.newer, pair.findings[0].witness.value]).toEqual(["1.0", "1.1", { id: "" }]);
  });

  it("go by what is deployed, rather than by what is listed here", async () => {
    const where = place();
    await deployed(orders(web("1.1")), "web", where);

    const { code } = await canDeploy(orders(billing("1.1"), web("1.0")), "billing", where);

    expect(code).toBe(0);
  });

  it("let a service pass that is not one of the two that break", async () => {
    const where = place();
    await deployed(orders(web("1.0")), "web", where);
    await deployed(orders(billing("1.1")), "billing", where);

    const { code } = await canDeploy(orders({ service: "audit", consumes: ["1.0"] }), "audit", where);

    expect(code).toBe(0);
  });

  it("do not pass over a deployed version that is not here", async () => {
    const where = place();
    await deployed(orders(web("1.0")), "web", where);
    const folder = folderOf({ "order/1.1.schema.json": newer, "order/subject.json": { inFlight: [billing("1.1")] } });

    const { code, terminal } = await canDeploy(folder, "billing", where);

    expect(code).toBe(1);
    expect(terminal.text()).toContain("web has order 1.0 deployed, which is not here");
  });

  it("are what check takes as in flight with --env, instead of what is listed", async () => {
    const where = place();
    const folder = orders(web("1.0"), billing("1.1"));
    const check = (...args: readonly string[]) => sobre("contract", "check", "-s", folder, ...args);
    await deployed(orders(web("1.1")), "web", where);
    await deployed(orders(billing("1.1")), "billing", where);

    const [listed, inProd] = [await check(), await check("--env", "prod", "--file", where)];
    await deployed(orders(billing("1.1", "1.0"), web("1.0")), "web", where);
    const later = await check("--env", "prod", "--file", where);

    expect([listed.code, inProd.code, later.code]).toEqual([1, 0, 1]);
    expect(later.terminal.text()).toContain('witness {"id":""}');
  });

  it("fail a check of versions that are not here", async () => {
    const where = place();
    await deployed(orders(web("1.0")), "web", where);

    const folder = folderOf({ "order/1.1.schema.json": newer });
    const { code, terminal } = await sobre("contract", "check", "-s", folder, "--env", "prod", "--file", where);

    expect(code).toBe(1);
    expect(terminal.text()).toContain("web has order 1.0 deployed, which is not here");
  });

  it.each(["__proto__", "constructor", "toString"])("know nothing of an environment named %s", async (env) => {
    const where = place();
    await deployed(orders(web("1.0")), "web", where);

    const { code, terminal } = await sobre(
      "contract",
      "can-deploy",
      "web",
      "-s",
      orders(web("1.0")),
      "--file",
      where,
      "--env",
      env,
    );

    expect(code).toBe(2);
    expect(terminal.errors()).toContain(`--env ${env}: no deployment to it is recorded`);
  });

  it.each<[command: string, ...args: readonly string[]]>([["can-deploy", "web"], ["check"]])(
    "let nothing pass where no deployment is recorded, e.g. by a misspelt environment or file: %s",
    async (...command) => {
      const where = place();
      const folder = orders(web("1.0"));
      await deployed(folder, "web", where);
      const run = (env: string, path: string) =>
        sobre("contract", ...command, "-s", folder, "--env", env, "--file", path);

      const [known, misspelt, elsewhere] = [
        await run("prod", where),
        await run("prd", where),
        await run("prod", `${where}.none`),
      ];

      expect([known.code, misspelt.code, elsewhere.code]).toEqual([0, 2, 2]);
      expect(misspelt.terminal.errors()).toContain("Environments in --file: prod. Record one with");
      expect(elsewhere.terminal.errors()).toContain("Environments in --file: none.");
    },
  );

  it.each(["[]", "{", '{"prod":1}', '{"prod":{"web":{"version":"1","subjects":{"order":{"produces":"1.0"}}}}}'])(
    "refuse a file that holds %s",
    async (text) => {
      const { code } = await canDeploy(orders(web("1.0")), "web", file(`wrong-${files++}.json`, text));

      expect(code).toBe(4);
    },
  );

  it("refuse a service that no subject lists", async () => {
    expect((await canDeploy(orders(web("1.0")), "nobody", place())).code).toBe(2);
    expect((await deployed(orders(web("1.0")), "nobody", place())).code).toBe(2);
  });
});

describe("deployments over HTTP", () => {
  let url = "";
  let document: string | undefined;
  let version = 0;
  /** The paths that were asked for. */
  const paths: string[] = [];
  /** Runs once a document was read, as another pipeline does. */
  let meanwhile: (() => void) | undefined;
  const server = createServer((request, response) => {
    const { method, headers } = request;
    paths.push(`${method ?? ""} ${request.url ?? ""}`);
    const etag = `"${version}"`;
    if (headers.authorization !== `Basic ${Buffer.from("me:hunter2").toString("base64")}`) {
      response.writeHead(401).end();
    } else if (method === "GET") {
      response.writeHead(document === undefined ? 404 : 200, { etag }).end(document ?? "");
      meanwhile?.();
    } else {
      const isCurrent = document === undefined ? headers["if-none-match"] === "*" : headers["if-match"] === etag;
      let text = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      request.on("end", () => {
        if (isCurrent) [document, version] = [text, version + 1];
        response.writeHead(isCurrent ? 204 : 412).end();
      });
    }
  });

  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port }: AddressInfo = Object(server.address());
    url = `http://me:hunter2@127.0.0.1:${port}/deployments`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it("are read, written, and held against the service that is to be deployed", async () => {
    document = undefined;
    const [first, second] = [
      await deployed(orders(web("1.0")), "web", url),
      await deployed(orders(billing("1.0")), "billing", url),
    ];

    const { code, terminal } = await canDeploy(orders(billing("1.1")), "billing", url);

    expect([first.code, second.code, code]).toEqual([0, 0, 1]);
    expect(Object.keys(JSON.parse(document ?? "{}").prod)).toEqual(["web", "billing"]);
    expect(terminal.text()).toContain('witness {"id":""}');
  });

  it("may need a signature in the URL, which is never shown", async () => {
    document = undefined;
    paths.length = 0;
    const { code } = await deployed(orders(web("1.0")), "web", `${url}?sig=s3cret`);
    const refused = await deployed(orders(web("1.0")), "web", `${url.replace("hunter2", "x")}?sig=s3cret`);

    expect(code).toBe(0);
    expect(paths.slice(0, 2)).toEqual(["GET /deployments?sig=s3cret", "PUT /deployments?sig=s3cret"]);
    expect(refused.terminal.errors()).toMatch(/deployments refuses the user or password/);
    expect(refused.terminal.errors()).not.toContain("s3cret");
  });

  it("are not written over what another pipeline has recorded meanwhile, and no password is shown", async () => {
    document = "{}";
    meanwhile = () => version++;
    const { code, terminal } = await deployed(orders(web("1.0")), "web", url);
    meanwhile = undefined;
    const refused = await deployed(orders(web("1.0")), "web", url.replace("hunter2", "wrong"));

    expect([code, refused.code]).toEqual([4, 4]);
    expect(terminal.errors()).toContain("was changed meanwhile");
    expect(terminal.errors() + refused.terminal.errors()).not.toMatch(/hunter2|wrong|me:/);
  });
});
