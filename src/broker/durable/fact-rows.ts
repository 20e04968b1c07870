import { decodeMessage } from "../../wire/amqp/message/decode-message.ts";
import { complete, kept } from "../../wire/amqp/message/kept-envelope.ts";
import { readRule, writeRule } from "../policy/stored-rule.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import type { StoreFact } from "../memory/store.ts";
import type { FactWriter } from "./fact-writer.ts";
import { headOf, packStatus, partNamed, readHead, sectionsOf, unpackStatus, writeMessageRow } from "./message-row.ts";
import { NoRows, type RowBytes } from "./row-bytes.ts";
import { readEntity, writeEntity } from "./stored-entity.ts";

/** The name of the counter that says when an entity was used; the others are those of partitions. */
const usedCounter = "used";

/** Writes a fact as a row. */
export function writeFact(rows: RowBytes, fact: StoreFact): void {
  switch (fact.kind) {
    case "entity":
      return rows.entity(fact.entity, writeEntity(fact));
    case "entityDeleted":
      return rows.entityDeleted(fact.entity);
    case "used":
      return rows.counter(fact.entity, usedCounter, fact.at);
    case "numbers":
      return rows.counter(fact.entity, `${fact.part}/${fact.partition}`, fact.next);
    case "rule":
      return rows.rule(fact.entity, fact.rule.name.toLowerCase(), writeRule(fact.rule));
    case "ruleDeleted":
      return rows.ruleDeleted(fact.entity, fact.name.toLowerCase());
    case "message":
    case "amended": {
      const { message, envelope } = fact;
      const { record, entity } = message;
      if (envelope === undefined) throw new RangeError("A message to keep has an envelope.");
      const { envelope: whole, besides } = kept(envelope);
      const row = (writer: FactWriter): void => writeMessageRow(writer, message, besides, whole);
      if (fact.kind === "message") rows.writeMessage(record, entity, packStatus(message), row);
      else rows.writeAmended(record, entity, row);
      return;
    }
    case "status":
      return rows.status(fact.record, packStatus(fact));
    case "removed":
      return rows.removed(fact.record);
    case "sessionState":
      return rows.sessionState(fact.entity, fact.session, fact.at, fact.state);
    case "seen":
      return rows.seen(fact.entity, fact.key, fact.at);
    case "forgotten":
      return rows.forgotten(fact.entity, fact.at);
    default:
      return fact satisfies never;
  }
}

/** The envelope of a message's row. @throws SobreError as `decodeMessage` does. */
export function readEnvelope(row: Uint8Array): Envelope {
  const { besides } = readHead(headOf(row), 0, 0, unpackStatus(0));
  // The row lies in a buffer of many.
  return complete(decodeMessage(sectionsOf(row).slice()), besides);
}

/** Turns the rows of a database back into facts. What only takes rows away is not in a database. */
export class FactSink extends NoRows {
  readonly facts: StoreFact[] = [];

  override entity(entity: number, text: string): void {
    this.facts.push(readEntity(entity, text));
  }

  override counter(entity: number, name: string, value: number): void {
    if (name === usedCounter) {
      this.facts.push({ kind: "used", entity, at: value });
      return;
    }
    const [part = "", partition = ""] = name.split("/");
    this.facts.push({ kind: "numbers", entity, part: partNamed(part), partition: Number(partition), next: value });
  }

  override rule(entity: number, _name: string, text: string): void {
    this.facts.push({ kind: "rule", entity, rule: readRule(text) });
  }

  /** @param head the row without the sections. */
  override message(record: number, entity: number, status: number, head: Uint8Array): void {
    const { message } = readHead(head, record, entity, unpackStatus(status));
    this.facts.push({ kind: "message", message, envelope: undefined });
  }

  override sessionState(entity: number, session: string, at: number, state: Uint8Array | undefined): void {
    this.facts.push({ kind: "sessionState", entity, session, at, state: state?.slice() });
  }

  override seen(entity: number, key: string, at: number): void {
    this.facts.push({ kind: "seen", entity, key, at });
  }
}

/** Takes the envelopes of messages, or why one cannot be read, out of their rows. */
export class EnvelopeSink extends NoRows {
  readonly byRecord: Map<number, Envelope | SobreError> = new Map();

  override message(record: number, _entity: number, _status: number, row: Uint8Array): void {
    try {
      this.byRecord.set(record, readEnvelope(row));
    } catch (error) {
      if (!(error instanceof SobreError)) throw error;
      this.byRecord.set(record, error);
    }
  }
}
