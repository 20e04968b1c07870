import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mailboxReading } from "../../../src/cli/codecs.ts";
import { readMailbox } from "../../../src/cli/tour/mailbox.ts";
import { createStyle, Misuse } from "../../../src/cli/terminal.ts";
import { takeTour, type Tour } from "../../../src/cli/tour/tour.ts";
import { tourReport } from "../../../src/cli/tour/tour-report.ts";

const folder = fileURLToPath(new URL("../../../fixtures/mailbox", import.meta.url));
const manifest: {
  readonly messages: readonly {
    readonly file: string;
    readonly bytes: number;
    readonly sha256: string;
    readonly source: string;
  }[];
} = JSON.parse(readFileSync(join(folder, "manifest.json"), "utf8"));

describe("the mailbox", () => {
  it("lists every file of its folder once, with size, hash and source", () => {
    const others = new Set(["manifest.json", "shop.proto", ".gitattributes"]);
    const files = readdirSync(folder).filter((file) => !others.has(file));

    const listed = manifest.messages.map(({ file }) => file);

    expect(listed.toSorted()).toEqual(files.toSorted());
    for (const { file, bytes, sha256, source } of manifest.messages) {
      const payload = readFileSync(join(folder, file));
      expect({ file, bytes: payload.byteLength }).toEqual({ file, bytes });
      expect({ file, sha256: createHash("sha256").update(payload).digest("hex") }).toEqual({ file, sha256 });
      expect(source.length).toBeGreaterThan(10);
    }
  });

  describe("on tour", () => {
    let tour: Tour;
    beforeAll(async () => {
      const mailbox = await readMailbox(folder);
      tour = await takeTour(mailbox, mailboxReading(mailbox));
    });

    it("ends as the manifest expects, message by message", () => {
      expect(tour.stops.map(({ letter }) => letter.file)).toEqual(manifest.messages.map(({ file }) => file));
      expect(tour.stops.filter(({ surprise }) => surprise !== undefined)).toEqual([]);
    });

    it("is read by every everyday codec and by the readers of what .NET and Java left behind", () => {
      const readers = new Set(tour.stops.flatMap(({ result }) => (result.ok ? [result.codec] : [])));

      expect([...readers].toSorted()).toEqual([
        "amqp",
        "bytes",
        "datacontract-xml",
        "empty",
        "java",
        "json",
        "msgpack",
        "nbfx",
        "nrbf",
        "protobuf",
        "text",
      ]);
    });

    it("names the types of .NET's and Java's bodies", () => {
      const text = tourReport("mailbox", tour, { columns: 140, style: createStyle(false) });

      for (const name of ["Order", "List<Line>", "GenJava$Address", "LinkedHashMap", "Dog"]) {
        expect(text).toMatch(new RegExp(`(?:nbfx|nrbf|java|datacontract-xml)\\*? +${name.replace("$", "\\$")} [[{]`));
      }
    });

    it("holds messages of every legacy family that are cut off, lie or harm, and stay unread", () => {
      const likenesses = new Set(tour.stops.flatMap(({ likeness }) => likeness?.name ?? []));

      for (const name of [".NET binary XML", ".NET BinaryFormatter", "Java object serialization", "gzip", "XML"]) {
        expect(likenesses).toContain(name);
      }
    });

    it("leaves the unreadable messages in the dead-letter queue, byte for byte and with a description", () => {
      const unreadable = tour.stops.filter(({ result }) => !result.ok).map(({ letter }) => letter.file);

      expect(tour.deadLetters.map(({ file }) => file)).toEqual(unreadable);
      for (const letter of tour.deadLetters) {
        expect(letter).toMatchObject({ reason: "Unreadable", untouched: true });
        expect(letter.description.length).toBeGreaterThan(20);
      }
    });

    it("repairs a dead letter, which is then read", () => {
      expect(tour.repair).toMatchObject({ file: "which-type.protobuf", before: "application/protobuf" });
      expect(tour.repair?.stop).toMatchObject({ surprise: undefined, result: { ok: true, codec: "protobuf" } });
    });
  });

  describe("of one's own", () => {
    let own: string;
    beforeAll(async () => {
      own = await mkdtemp(join(tmpdir(), "sobre-mailbox-"));
      await writeFile(join(own, "a.json"), "[1]");
    });
    afterAll(() => rm(own, { recursive: true }));

    const write = (messages: readonly object[]): Promise<void> =>
      writeFile(join(own, "manifest.json"), JSON.stringify({ messages }));
    const letter = { file: "a.json", contentType: "application/json", bytes: 3, sha256: "" };
    const expected = { ...letter, expect: { readBy: "json" } };

    it("shows a surprise when a message ends otherwise than expected", async () => {
      const sha256 = createHash("sha256").update("[1]").digest("hex");
      const expectations = [
        { readBy: "json", value: [1] },
        { readBy: "json", value: [2] },
        { readBy: "msgpack", value: [1] },
        { deadLetter: "Unreadable", tried: ["json"] },
      ];
      const surprises: (string | undefined)[] = [];

      for (const expectation of expectations) {
        await write([{ ...letter, sha256, expect: expectation }]);
        const mailbox = await readMailbox(own);
        const { stops } = await takeTour(mailbox, mailboxReading(mailbox));
        surprises.push(...stops.map(({ surprise }) => surprise));
      }

      expect(surprises).toEqual([
        undefined,
        "Its value is not the one in the manifest.",
        "It was read by json, not by msgpack.",
        "It was read by json, and should have been dead-lettered.",
      ]);
    });

    it("shows a surprise when the bytes have changed", async () => {
      await write([{ ...letter, expect: { readBy: "json", value: [1] } }]);
      const mailbox = await readMailbox(own);

      const { stops } = await takeTour(mailbox, mailboxReading(mailbox));

      expect(stops[0]?.surprise).toMatch(/bytes are not those/);
    });

    it("may be empty", async () => {
      await write([]);
      const mailbox = await readMailbox(own);

      const { stops, deadLetters, repair } = await takeTour(mailbox, mailboxReading(mailbox));

      expect({ stops, deadLetters, repair }).toEqual({ stops: [], deadLetters: [], repair: undefined });
    });

    it.each([
      ["a file outside of the folder", [{ ...letter, file: "../a.json" }], /not a file in its own folder/],
      ["a missing file", [{ ...letter, file: "b.json" }], /b\.json: no such file/],
      ["no expectation", [letter], /"expect" is missing/],
      ["one file twice", [expected, expected], /names a file twice/],
    ])("is refused with %s", async (_, messages, complaint) => {
      await write(messages);

      const reading = readMailbox(own);

      await expect(reading).rejects.toThrow(Misuse);
      await expect(reading).rejects.toThrow(complaint);
    });

    it("is refused without a manifest", async () => {
      await expect(readMailbox(join(own, "nowhere"))).rejects.toThrow(/manifest\.json: no such file/);
    });
  });
});
