import { describe, expect, it } from "vitest";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { SourceMessageReader } from "../../src/migration/read/read-message.ts";
import { settleShape } from "../../src/migration/infer/settled-shape.ts";
import { createTarget, type TargetFormat } from "../../src/migration/target/target.ts";
import { TypeProfiles } from "../../src/migration/infer/type-profile.ts";
import { foundWith } from "../../src/migration/verify/found-members.ts";
import { readSource } from "../../src/migration/verify/scan-source.ts";
import { verifyMessage } from "../../src/migration/verify/verify-message.ts";
import { payloadOf, serializer } from "./samples.support.ts";

const reader = new SourceMessageReader({ serializer, openJsonText: true, hasContract: () => false });

/** An order before its migration, and as it is read back. */
function migrated(file: string, format: TargetFormat): Parameters<typeof verifyMessage>[0] {
  const payload = payloadOf(file);
  const read = reader.read(createEnvelope({ payload }));
  if (!read.ok) throw read.error;
  const profiles = new TypeProfiles();
  profiles.note(read);
  const [profile] = profiles.all();
  if (profile === undefined) throw new Error("There is no type.");
  const type = createTarget({ format }).forType(profile.name, settleShape(profile.root));
  const decoded = type.decode(type.encode(read.body));
  const { layers, codec, body } = read;
  return { payload, layers, codec, typed: false, body, decoded, numbersAreText: false };
}

/** The body with another scalar in each place, without each member, and with one more. */
function* mutantsOf(value: unknown): Generator {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) for (const other of mutantsOf(item)) yield value.with(index, other);
    yield value.slice(1);
    yield [...value, structuredClone(value[0])];
  } else if (value instanceof Date) yield new Date(value.getTime() + 1);
  else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      for (const other of mutantsOf(member)) yield { ...value, [name]: other };
      // A null need not appear again.
      if (member !== null) yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
    }
    yield { ...value, Invented: "something" };
  } else if (typeof value === "bigint") yield value + 1n;
  else if (typeof value === "number") yield value + 1;
  else yield `${String(value)}x`;
}

describe.each(["json", "msgpack", "protobuf"] as const)("orders migrated to %s", (format) => {
  it.each(["nbfx-dcs-order.bin", "xml-xs-order.bin", "json-dcjs-order.bin"])(
    "are found in place, whatever the order of members, and any change is reported: %s",
    (file) => {
      const message = migrated(file, format);

      const escaped = [...mutantsOf(message.decoded)].filter(
        (decoded) => verifyMessage({ ...message, decoded }).length === 0,
      );

      expect(readSource(message)?.isSame(message.decoded)).toBe(true);
      expect(verifyMessage(message)).toEqual([]);
      expect(escaped).toEqual([]);
    },
  );
});

describe("the members found so far", () => {
  it("are each found once, in any order", () => {
    expect(foundWith(0, 2, 0)).toBe(4);
    expect(foundWith(4, 0, 1)).toBe(5);
    expect(foundWith(5, 2, 2)).toBeUndefined();
    expect(foundWith(5, -1, 2)).toBeUndefined();
  });

  it("are found in their order alone where they are many", () => {
    expect(foundWith(0, 31, 31)).toBe(0);
    expect(foundWith(0, 31, 30)).toBeUndefined();
  });
});
