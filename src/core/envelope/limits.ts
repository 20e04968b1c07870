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

/** Whether the properties take at most so many bytes. */
export function fitsHeader(
  broker: MembersOf<BrokerProperties>,
  application: ApplicationProperties,
  limit: number = maxHeaderSize,
): boolean {
  // A cheap upper bound, so that ordinary messages need no exact count.
  return sizeOfMembers(broker) + sizeOfMembers(application) <= limit || headerSize(broker, application) <= limit;
}

/** @throws SobreError `MessageSizeExceeded` when the properties exceed {@link maxHeaderSize} bytes. */
export function checkHeaderSize(broker: MembersOf<BrokerProperties>, application: ApplicationProperties): void {
  if (fitsHeader(broker, application)) return;
  throw new SobreError(
    "MessageSizeExceeded",
    `The properties take ${headerSize(broker, application)} bytes, but at most ${maxHeaderSize} are allowed. Move some into the payload.`,
  );
}

/** The members of an interface, as an indexable type. */
type MembersOf<T> = Pick<T, keyof T>;

type TextSize = (text: string) => number;

const utf8Length: TextSize = (text) => new TextEncoder().encode(text).length;

/** Without a size of texts, each character counts the most bytes that it can take. */
function sizeOfMembers(members: Readonly<Record<string, unknown>>, sizeOfText?: TextSize): number {
  let size = 0;
  for (const name in members) {
    const value = members[name];
    size += sizeOfText === undefined ? 3 * name.length : sizeOfText(name);
    if (typeof value === "string") size += sizeOfText === undefined ? 3 * value.length : sizeOfText(value);
    else if (value instanceof Uint8Array) size += value.byteLength;
    else size += isRecord(value) ? 9 + sizeOfMembers(value, sizeOfText) : 9;
  }
  return size;
}
