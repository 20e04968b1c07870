import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";
import descriptor from "protobufjs/ext/descriptor/index.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { python } from "./installed.support.ts";
import { protoFile, shapes } from "./contract-types.support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "sobre-golden-python-"));
const script = fileURLToPath(new URL("golden_reader.py", import.meta.url));

afterAll(() => rmSync(work, { recursive: true }));

interface Line {
  readonly file: string;
  readonly problem: string | null;
}

function read(folder: string, ...descriptors: readonly string[]): readonly Line[] {
  const printed = execFileSync(python, [script, folder, ...descriptors], { encoding: "utf8" });
  return printed.split("\n").flatMap((line): readonly Line[] => (line === "" ? [] : [JSON.parse(line)]));
}

function write(file: string, content: string | Uint8Array): string {
  mkdirSync(dirname(join(work, file)), { recursive: true });
  writeFileSync(join(work, file), content);
  return join(work, file);
}

/** The descriptors that protobufjs makes name no imports. */
const proto = protoFile.replaceAll(/^.*google.*\n/gm, "");
const golden = join(work, "golden");
const descriptors = join(work, "shop.binpb");

beforeAll(() => {
  // The schemas of the tests of types: unions, references, recursion, tuples, maps, 64-bit integers, and every kind of field.
  for (const { name, schema } of shapes) {
    write(`schemas/${name}/1.0.schema.json`, JSON.stringify(schema));
    write(`schemas/${name}/subject.json`, JSON.stringify({ codecs: ["json", "msgpack"] }));
  }
  write("schemas/shop/1.0.proto", proto);
  write("schemas/shop/subject.json", JSON.stringify({ codecs: ["protobuf"] }));
  const main = join(root, "src/cli/main.ts");
  execFileSync(process.execPath, [main, "contract", "record", "-s", join(work, "schemas"), "-g", golden], {
    encoding: "utf8",
  });
  const made = protobuf.parse(proto, { keepCase: true }).root;
  made.resolveAll();
  const set: unknown = Reflect.apply(Reflect.get(made, "toDescriptor"), made, ["proto3"]);
  const setType: unknown = Reflect.get(descriptor, "FileDescriptorSet");
  if (!(setType instanceof protobuf.Type)) throw new Error("protobufjs has no type of descriptor sets");
  writeFileSync(descriptors, setType.encode(Object(set)).finish());
});

describe("golden messages in Python", () => {
  it("are read as recorded by the decoders of Python, in JSON, MessagePack and Protobuf", () => {
    const lines = read(golden, descriptors);

    expect(lines.length).toBeGreaterThan(80);
    expect(new Set(lines.map(({ file }) => file.split("/")[2]))).toEqual(new Set(["json", "msgpack", "protobuf"]));
    expect(lines.filter(({ problem }) => problem !== null)).toEqual([]);
  });

  it("are those of this repository too, apart from AMQP", () => {
    const lines = read(join(root, "fixtures/contracts")).filter(({ file }) => /\/(?:json|msgpack)\//.test(file));

    expect(lines.length).toBeGreaterThan(15);
    expect(lines.filter(({ problem }) => problem !== null)).toEqual([]);
  });

  it.each(["bin", "json"])("are refused once the .%s file was changed", (extension) => {
    const changed = join(work, `changed-${extension}`);
    cpSync(join(golden, "event"), join(changed, "event"), { recursive: true });
    const file = join(changed, `event/1.0/json/least.${extension}`);
    writeFileSync(file, readFileSync(file, "utf8").replace('"', '" '));

    const problems = read(changed).flatMap(({ problem }) => problem ?? []);

    expect(problems).toEqual([extension === "bin" ? "the payload was changed" : "the description was changed"]);
  });
});
