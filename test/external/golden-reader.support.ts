import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import protobuf from "protobufjs";
import descriptor from "protobufjs/ext/descriptor/index.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { protoFile, shapes } from "./contract-types.support.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/**
 * A program that reads golden messages with the decoders of another language. With a folder, and with a set of descriptors
 * for Protobuf, it prints a line of JSON for each: its `file`, and the `problem` or null.
 */
export interface GoldenReader {
  readonly language: string;
  readonly command: readonly [program: string, ...args: readonly string[]];
}

interface Line {
  readonly file: string;
  readonly problem: string | null;
}

/** The descriptors that protobufjs makes name no imports. */
const proto = protoFile.replaceAll(/^.*google.*\n/gm, "");

/** Declares the tests of a reader of golden messages. */
export function testGoldenReader({ language, command: [program, ...args] }: GoldenReader): void {
  const work = mkdtempSync(join(tmpdir(), "sobre-golden-"));
  const golden = join(work, "golden");
  const descriptors = join(work, "shop.binpb");

  const read = (folder: string, ...more: readonly string[]): readonly Line[] => {
    const printed = execFileSync(program, [...args, folder, ...more], { encoding: "utf8" });
    return printed.split("\n").flatMap((line): readonly Line[] => (line === "" ? [] : [JSON.parse(line)]));
  };

  beforeAll(() => {
    record(work, golden);
    writeFileSync(descriptors, descriptorSetOf(proto));
  });

  afterAll(() => rmSync(work, { recursive: true }));

  describe(`golden messages in ${language}`, () => {
    it("are read as recorded by its own decoders, in JSON, MessagePack and Protobuf", () => {
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

    it("differ from what is expected where another value was sent", () => {
      const changed = join(work, "other");
      cpSync(join(golden, "enums"), join(changed, "enums"), { recursive: true });
      const name = join(changed, "enums/1.0/json/least");
      const payload = readFileSync(`${name}.bin`, "utf8").replace(/"state":[^,}]+/, '"state":"shut"');
      writeFileSync(`${name}.bin`, payload);
      const hash = createHash("sha256").update(payload).digest("hex");
      writeFileSync(
        `${name}.json`,
        readFileSync(`${name}.json`, "utf8").replace(/"sha256": *"\w+"/, `"sha256":"${hash}"`),
      );

      expect(read(changed).flatMap(({ problem }) => problem ?? [])).toEqual([expect.stringMatching(/^read as .*shut/)]);
    });
  });
}

/** Records the schemas of the tests of types: unions, references, recursion, tuples, maps, 64-bit integers, and every kind of field. */
function record(work: string, golden: string): void {
  const write = (file: string, content: string): void => {
    mkdirSync(dirname(join(work, file)), { recursive: true });
    writeFileSync(join(work, file), content);
  };
  for (const { name, schema } of shapes) {
    write(`schemas/${name}/1.0.schema.json`, JSON.stringify(schema));
    write(`schemas/${name}/subject.json`, JSON.stringify({ codecs: ["json", "msgpack"] }));
  }
  write("schemas/shop/1.0.proto", proto);
  write("schemas/shop/subject.json", JSON.stringify({ codecs: ["protobuf"] }));
  const main = join(root, "src/cli/main.ts");
  execFileSync(process.execPath, [main, "contract", "record", "-s", join(work, "schemas"), "-g", golden]);
}

/** The bytes of a FileDescriptorSet, as protoc writes it. */
function descriptorSetOf(text: string): Uint8Array {
  const made = protobuf.parse(text, { keepCase: true }).root;
  made.resolveAll();
  const set: unknown = Reflect.apply(Reflect.get(made, "toDescriptor"), made, ["proto3"]);
  const setType: unknown = Reflect.get(descriptor, "FileDescriptorSet");
  if (!(setType instanceof protobuf.Type)) throw new Error("protobufjs has no type of descriptor sets");
  return setType.encode(Object(set)).finish();
}
