import { SobreError } from "../errors/sobre-error.ts";
import type { ApplicationProperties } from "./application-properties.ts";
import type { BrokerProperties } from "./broker-properties.ts";
import { isRecord } from "./bag.ts";

/** Maximum size of broker and application properties together, by {@link headerSize}: 64 KiB. */
export const maxHeaderSize: number = 64 * 1024;

/**
 * The size of the properties for the limit: the UTF-8 bytes of names and strings, the bytes of binaries, and 9 for any
 * other value, plus the contents of typed ones.
 *
 * It is close to the size of their AMQP encoding, and the same everywhere.
 */
export function headerSize(broker: MembersOf<BrokerProperties>, application: ApplicationProperties): number {
  return sizeOfMembers(broker, utf8Length) + sizeOfMembers(application, utf8Length);
}

/** @throws SobreError `MessageSizeExceeded` when the properties exceed {@link maxHeaderSize} bytes. */
export function checkHeaderSize(broker: MembersOf<BrokerProperties>, application: ApplicationProperties): void {
  if (sizeOfMembers(broker, mostBytes) + sizeOfMembers(application, mostBytes) <= maxHeaderSize) return;
  const size = headerSize(broker, application);
  if (size <= maxHeaderSize) return;
  throw new SobreError(
    "MessageSizeExceeded",
    `The properties take ${size} bytes, but at most ${maxHeaderSize} are allowed. Move some into the payload.`,
  );
}

/** The members of an interface, as an indexable type. */
type MembersOf<T> = Pick<T, keyof T>;

type TextSize = (text: string) => number;

const utf8Length: TextSize = (text) => new TextEncoder().encode(text).length;

/** A cheap upper bound, so that ordinary messages need no exact count. */
const mostBytes: TextSize = (text) => 3 * text.length;

function sizeOfMembers(members: Readonly<Record<string, unknown>>, sizeOfText: TextSize): number {
  let size = 0;
  for (const name in members) size += sizeOfText(name) + sizeOfValue(members[name], sizeOfText);
  return size;
}

function sizeOfValue(value: unknown, sizeOfText: TextSize): number {
  if (typeof value === "string") return sizeOfText(value);
  if (value instanceof Uint8Array) return value.byteLength;
  return isRecord(value) ? 9 + sizeOfMembers(value, sizeOfText) : 9;
}
