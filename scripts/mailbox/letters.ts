import { hostileLetters, legacyLetters } from "./legacy-letters.ts";
import { expectedValues, legacyVectors, type Letter, readBy, type Source, unreadable } from "./letter.ts";
import { noise, packedOrder, utf8 } from "./own-bodies.ts";
import {
  amqpLetters,
  compressedLetters,
  jsonLetters,
  messagePackLetters,
  protobufLetters,
} from "./readable-letters.ts";

const own = "written by scripts/make-mailbox.ts";

/** The messages of the mailbox, in the order in which they are sent. */
export function mailboxLetters(vectorsFolder: string): readonly Letter[] {
  const vector = legacyVectors(vectorsFolder, "open");
  const value = expectedValues(vectorsFolder);
  return [
    ...jsonLetters(vector),
    ...compressedLetters(vector),
    ...messagePackLetters(),
    ...protobufLetters(),
    ...amqpLetters(vector),
    ...textLetters(),
    ...emptyLetters(),
    ...legacyLetters(vector, value),
    ...damagedLetters(vector),
    ...hostileLetters(vector, legacyVectors(vectorsFolder, "malformed")),
  ];
}

/** Text, bytes, and a byte that is valid in several formats. */
function textLetters(): readonly Letter[] {
  const log = "\u001b[31mpaid\u001b[0m\tP-001\r\ndone";
  return [
    {
      file: "greeting.txt",
      payload: utf8("¡Hola, 世界! Your order P-001 is on its way 🚚"),
      contentType: "text/plain; charset=utf-8",
      source: own,
      expect: readBy("text", "¡Hola, 世界! Your order P-001 is on its way 🚚"),
    },
    {
      file: "escapes.log",
      payload: utf8(log),
      contentType: "text/plain",
      source: `${own}, with terminal escapes that must not reach a terminal`,
      expect: readBy("text", log),
    },
    {
      file: "seven.txt",
      payload: utf8("7"),
      contentType: null,
      source: `${own}: one byte that is JSON, MessagePack and text`,
      expect: readBy("json", 7),
    },
    {
      file: "seven.msgpack",
      payload: utf8("7"),
      contentType: "application/msgpack",
      source: `${own}: the byte of seven.txt under another content type`,
      expect: readBy("msgpack", 55),
    },
    {
      file: "label.bin",
      payload: noise().subarray(0, 16),
      contentType: "application/octet-stream",
      source: `${own}: 16 bytes of an xorshift generator`,
      expect: readBy("bytes", { $bytes: Buffer.from(noise().subarray(0, 16)).toString("base64") }),
    },
  ];
}

function emptyLetters(): readonly Letter[] {
  const empty = { payload: new Uint8Array(0), source: `${own}: zero bytes` };
  return [
    { file: "empty.json", ...empty, contentType: "application/json", expect: { readBy: "json" } },
    { file: "empty.bin", ...empty, contentType: null, expect: { readBy: "empty" } },
  ];
}

function damagedLetters(vector: Source): readonly Letter[] {
  const order = vector("json-dcjs-order");
  return [
    {
      file: "truncated.json",
      payload: order.payload.subarray(0, 200),
      source: `${order.source}; the first 200 bytes`,
      contentType: "application/json",
      expect: unreadable(["json", "datacontract-json"], "JSON"),
    },
    {
      file: "truncated.msgpack",
      payload: packedOrder.payload.subarray(0, 40),
      source: `msgpackr; the first 40 bytes of order.msgpack`,
      contentType: "application/vnd.msgpack",
      expect: unreadable(["msgpack"]),
    },
    {
      file: "no-charset.json",
      ...vector("text-latin1-nocharset"),
      contentType: "application/json",
      expect: unreadable(["json", "datacontract-json"], "JSON"),
    },
    {
      file: "noise.bin",
      payload: noise(),
      source: `${own}: 64 bytes of an xorshift generator`,
      contentType: null,
      expect: unreadable([]),
    },
  ];
}
