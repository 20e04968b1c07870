import { describe, expect, it } from "vitest";
import { createClient } from "../../../src/client/create-client.ts";
import { jsonSchema } from "../../../src/core/json-schema/index.ts";
import { defineMessage, registryIds } from "../../../src/core/message/index.ts";
import { claimCheck, compression, encryption, filePayloadStore } from "../../../src/client/stages/index.ts";
import { setup } from "../client/setup.support.ts";
import { refusal } from "../../refusal.support.ts";

const keys = { k1: new Uint8Array(32) };
const store = { put: async () => "key", get: async () => undefined };

/** Functions that take options, with right options and a misspelt one. */
const makers: readonly (readonly [(options: unknown) => unknown, object, string])[] = [
  [(options) => Reflect.apply(encryption, undefined, [options]), { keys }, "keyID"],
  [(options) => Reflect.apply(compression, undefined, [options]), {}, "treshold"],
  [(options) => Reflect.apply(claimCheck, undefined, [options]), { store }, "maxbytes"],
  [(options) => Reflect.apply(filePayloadStore, undefined, [options]), { folder: "x" }, "path"],
  [(options) => Reflect.apply(registryIds, undefined, [options]), {}, "prefix"],
  [(options) => Reflect.apply(defineMessage, undefined, ["a", { 1: jsonSchema({}) }, options]), {}, "alias"],
];

describe("a misspelt option", () => {
  it.each(makers)("is refused by its name, since ignoring it would change the result: %o", (make, right, option) => {
    const error = refusal(() => make({ ...right, [option]: 1 }));

    expect(error).toMatchObject({ code: "InvalidArgument", path: `$.${option}` });
    expect(error.message).toContain(`Unknown option \`${option}\`. Expected one of: `);
    expect(() => make(right)).not.toThrow();
  });

  it.each(makers)("is not confused with options that are not an object: %o", (make) => {
    for (const wrong of [5, "x", []]) {
      expect(refusal(() => make(wrong))).toMatchObject({ code: "InvalidArgument", path: "$.options" });
    }
  });
});

describe("an option of a stage", () => {
  it.each<readonly [() => unknown, string]>([
    [() => Reflect.apply(encryption, undefined, [{ keys, bind: ["mesageId"] }]), "bind"],
    [() => Reflect.apply(encryption, undefined, [{ keys, bind: ["deliveryCount"] }]), "bind"],
    [() => Reflect.apply(registryIds, undefined, [{ confluentPrefix: "yes" }]), "confluentPrefix"],
    [() => Reflect.apply(filePayloadStore, undefined, [{ folder: "x", clock: Date.now }]), "clock"],
  ])("is refused by its name: %o", (make, option) => {
    expect(refusal(make)).toMatchObject({ code: "InvalidArgument", path: `$.${option}` });
  });

  it.each([null, 5, "gzip"])("maxRatio of a compression is an object, and not %o", (maxRatio) => {
    expect(refusal(() => Reflect.apply(compression, undefined, [{ maxRatio }])).message).toContain("maxRatio");
  });
});

describe("the stages of a client", () => {
  const compress = compression({ encoding: "gzip" });
  const encrypt = encryption({ keys, keyId: "k1" });
  const offload = claimCheck({ store });
  const own = { name: "own" };

  it.each([[[compress, encrypt, offload]], [[own, encrypt, own, encrypt, offload]], [[]]])(
    "are listed in the order of sending",
    (stages) => {
      const { client } = setup({ queues: ["q"] }, { stages });

      expect(client.createSender("q").entityPath).toBe("q");
    },
  );

  it.each([
    ["a store would get plain payloads", [offload, encrypt]],
    ["ciphertext does not shrink, and would be taken for compressed", [encrypt, compress]],
    ["a claim would be compressed", [offload, own, compress]],
  ])("are refused in another order: %s", (_why, stages) => {
    const error = refusal(() => setup({ queues: ["q"] }, { stages }));

    expect(error).toMatchObject({ code: "InvalidArgument", path: "$.stages" });
    expect(error.message).toContain("compression, encryption, claim-check");
  });

  it.each([[{ name: "own", beforeSend: 5 }], [{ name: "own", afterReceive: "x" }], [{ beforeSend: () => undefined }]])(
    "have a name and functions: %o",
    (stage) => {
      const { engine } = setup({ queues: ["q"] });
      const serializer = { serialize: () => undefined, deserialize: () => undefined };

      const error = refusal(() => Reflect.apply(createClient, undefined, [{ engine, serializer, stages: [stage] }]));

      expect(error).toMatchObject({ code: "InvalidArgument", path: "$.stages" });
    },
  );
});
