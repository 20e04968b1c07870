import { SobreError } from "../../core/errors/sobre-error.ts";
import type { FactReader } from "./fact-reader.ts";
import { FactWriter } from "./fact-writer.ts";

/** Takes the rows of a store: what its tables hold, and what of it goes. */
export interface RowSink {
  entity(entity: number, text: string): void;
  entityDeleted(entity: number): void;
  /** A number of an entity by its name. */
  counter(entity: number, name: string, value: number): void;
  rule(entity: number, name: string, text: string): void;
  ruleDeleted(entity: number, name: string): void;
  message(record: number, entity: number, status: number, row: Uint8Array): void;
  amended(record: number, entity: number, row: Uint8Array): void;
  status(record: number, status: number): void;
  removed(record: number): void;
  /** No state clears it. */
  sessionState(entity: number, session: string, at: number, state: Uint8Array | undefined): void;
  seen(entity: number, key: string, at: number): void;
  /** Every id seen at this time or before goes. */
  forgotten(entity: number, at: number): void;
}

/** Passes over every row but those of the methods that a sink overrides. */
export class NoRows implements RowSink {
  entity(..._row: readonly unknown[]): void {}
  entityDeleted(..._row: readonly unknown[]): void {}
  counter(..._row: readonly unknown[]): void {}
  rule(..._row: readonly unknown[]): void {}
  ruleDeleted(..._row: readonly unknown[]): void {}
  message(..._row: readonly unknown[]): void {}
  amended(..._row: readonly unknown[]): void {}
  status(..._row: readonly unknown[]): void {}
  removed(..._row: readonly unknown[]): void {}
  sessionState(..._row: readonly unknown[]): void {}
  seen(..._row: readonly unknown[]): void {}
  forgotten(..._row: readonly unknown[]): void {}
}

const kinds = {
  entity: 1,
  entityDeleted: 2,
  counter: 3,
  rule: 4,
  ruleDeleted: 5,
  message: 6,
  amended: 7,
  status: 8,
  removed: 9,
  sessionState: 10,
  sessionCleared: 11,
  seen: 12,
  forgotten: 13,
} as const;

/** Writes rows as {@link readRows} reads them, to hand them to another thread. */
export class RowBytes implements RowSink {
  readonly #writer: FactWriter;

  /** @param room its first buffer, which is written over, or the size of one. */
  constructor(room?: number | ArrayBuffer) {
    this.#writer = new FactWriter(room);
  }

  /** How many bytes were written. */
  get size(): number {
    return this.#writer.mark();
  }

  /** Takes everything written, in its own buffer that may be transferred; nothing is written afterwards. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#writer.take();
  }

  entity(entity: number, text: string): void {
    this.#begin(kinds.entity, entity);
    this.#writer.string(text);
  }

  entityDeleted(entity: number): void {
    this.#begin(kinds.entityDeleted, entity);
  }

  counter(entity: number, name: string, value: number): void {
    this.#begin(kinds.counter, entity);
    this.#writer.string(name);
    this.#writer.number(value);
  }

  rule(entity: number, name: string, text: string): void {
    this.#begin(kinds.rule, entity);
    this.#writer.string(name);
    this.#writer.string(text);
  }

  ruleDeleted(entity: number, name: string): void {
    this.#begin(kinds.ruleDeleted, entity);
    this.#writer.string(name);
  }

  message(record: number, entity: number, status: number, row: Uint8Array): void {
    this.writeMessage(record, entity, status, (writer) => writer.raw(row));
  }

  /** {@link message} with a row that is written in its place. */
  writeMessage(record: number, entity: number, status: number, row: (writer: FactWriter) => void): void {
    this.#begin(kinds.message, record);
    this.#writer.number(entity);
    this.#writer.number(status);
    this.#writer.within(() => row(this.#writer));
  }

  amended(record: number, entity: number, row: Uint8Array): void {
    this.writeAmended(record, entity, (writer) => writer.raw(row));
  }

  /** {@link amended} with a row that is written in its place. */
  writeAmended(record: number, entity: number, row: (writer: FactWriter) => void): void {
    this.#begin(kinds.amended, record);
    this.#writer.number(entity);
    this.#writer.within(() => row(this.#writer));
  }

  status(record: number, status: number): void {
    this.#begin(kinds.status, record);
    this.#writer.number(status);
  }

  removed(record: number): void {
    this.#begin(kinds.removed, record);
  }

  sessionState(entity: number, session: string, at: number, state: Uint8Array | undefined): void {
    this.#begin(state === undefined ? kinds.sessionCleared : kinds.sessionState, entity);
    this.#writer.string(session);
    this.#writer.number(at);
    if (state !== undefined) this.#writer.sized(state);
  }

  seen(entity: number, key: string, at: number): void {
    this.#begin(kinds.seen, entity);
    this.#writer.string(key);
    this.#writer.number(at);
  }

  forgotten(entity: number, at: number): void {
    this.#begin(kinds.forgotten, entity);
    this.#writer.number(at);
  }

  #begin(kind: number, key: number): void {
    this.#writer.byte(kind);
    this.#writer.number(key);
  }
}

/**
 * Reads everything that is left, row by row; returns whether it only added messages.
 *
 * @throws SobreError `DecodeFailed`, `TruncatedPayload`.
 */
export function readRows(reader: FactReader, sink: RowSink): boolean {
  let onlyAdds = true;
  while (!reader.done) {
    const kind = reader.byte();
    if (kind !== kinds.message) onlyAdds = false;
    readRow(kind, reader, sink);
  }
  return onlyAdds;
}

function readRow(kind: number, reader: FactReader, sink: RowSink): void {
  const key = reader.number();
  switch (kind) {
    case kinds.entity:
      return sink.entity(key, reader.text());
    case kinds.entityDeleted:
      return sink.entityDeleted(key);
    case kinds.counter:
      return sink.counter(key, reader.text(), reader.number());
    case kinds.rule:
      return sink.rule(key, reader.text(), reader.text());
    case kinds.ruleDeleted:
      return sink.ruleDeleted(key, reader.text());
    case kinds.message:
      return sink.message(key, reader.number(), reader.number(), reader.bytes());
    case kinds.amended:
      return sink.amended(key, reader.number(), reader.bytes());
    case kinds.status:
      return sink.status(key, reader.number());
    case kinds.removed:
      return sink.removed(key);
    case kinds.sessionState:
      return sink.sessionState(key, reader.text(), reader.number(), reader.bytes());
    case kinds.sessionCleared:
      return sink.sessionState(key, reader.text(), reader.number(), undefined);
    case kinds.seen:
      return sink.seen(key, reader.text(), reader.number());
    case kinds.forgotten:
      return sink.forgotten(key, reader.number());
    default:
      throw new SobreError("DecodeFailed", `A row has the unknown kind ${kind}.`, { offset: reader.at - 9 });
  }
}
