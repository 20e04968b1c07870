import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sobre } from "./calls.support.ts";
import { check, contractFolders, newer, older } from "./contract-folders.support.ts";

const { file, folderOf } = contractFolders();
const safe = { "order/1.0.schema.json": newer, "order/1.1.schema.json": older };
const proto = 'syntax = "proto3"; package a; message M { int32 n = 1; }';

describe("subject.json", () => {
  it.each([
    [{ inFlight: [{ service: "web", produce: ["1.0"] }] }, "inFlight: unknown member `produce`"],
    [
      { inFlight: [{ name: "web", produces: ["1.0"] }] },
      "inFlight: every entry needs `service`, the name of the service",
    ],
    [{ dialect: "draft-07" }, "unknown member `dialect`"],
    [{ owner: ["shop"] }, "owner must be a string"],
  ])("is refused where a setting would change nothing: %j", async (settings, said) => {
    const { code, terminal } = await check(folderOf({ ...safe, "order/subject.json": settings }));

    expect(code).toBe(4);
    expect(terminal.errors()).toContain(`order/subject.json: ${said}`);
  });

  it("warns about a codec without a row", async () => {
    const { code, terminal } = await check(folderOf({ ...safe, "order/subject.json": { codecs: ["json", "msgpak"] } }));

    expect(code).toBe(0);
    expect(terminal.errors()).toBe(
      "sobre: order: unknown codec `msgpak`, so it has no row. Expected one of: json, msgpack, amqp, protobuf\n",
    );
  });

  it("refuses a subject with two formats", async () => {
    const { code, terminal } = await check(folderOf({ "order/1.0.schema.json": older, "order/1.1.proto": proto }));

    expect(code).toBe(4);
    expect(terminal.errors()).toContain("order/1.0.schema.json and order/1.1.proto have different formats");
  });
});

describe("sobre contract init from a file", () => {
  it.each([
    ["order.schema.json", JSON.stringify(older), "order/1.0.schema.json"],
    ["order.proto", proto, "order/1.0.proto"],
  ])("releases %s as the first version, and again only what has changed", async (name, text, path) => {
    const schemas = join(folderOf({ "none.txt": "" }), "schemas");
    const init = () => sobre("contract", "init", "--schemas", schemas, "--from", file(name, text));

    const codes = [(await init()).code, (await init()).code];

    expect(codes).toEqual([0, 0]);
    expect(readFileSync(join(schemas, path), "utf8").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
    expect(existsSync(join(schemas, path.replace("1.0", "1.1")))).toBe(false);
  });

  it.each([
    ["a file that is no schema", ["--from", file("list.json", "[1]")], 4, "an object or a boolean"],
    ["a .proto file that is broken", ["--from", file("broken.proto", "nothing")], 4, "illegal token"],
    ["a file that is not there", ["--from", "nowhere.proto"], 2, "no such file"],
    ["an export of a file", ["--from", file("one.json", "{}"), "--export", "one"], 2, "--export needs --from"],
    ["an export of nothing", ["--export", "one"], 2, "--export needs --from"],
    ["a name for nothing", ["--subject", "one"], 2, "--subject needs --from"],
  ])("refuses %s", async (_, args, exitCode, said) => {
    const { code, terminal } = await sobre("contract", "init", "--schemas", folderOf(safe), ...args);

    expect(code).toBe(exitCode);
    expect(terminal.errors()).toContain(said);
  });
});
