import { SobreError } from "../../core/errors/sobre-error.ts";
import { isObject } from "../json-schema/json-value.ts";
import { openProtobufSchema } from "../protobuf/schema.ts";
import { parseYaml } from "../sources/yaml.ts";
import { AsyncApiDocument, decodedToken, type DocumentPlace, invalidDocument } from "./asyncapi-document.ts";
import type { AsyncApiRecord, ChannelRecord, MessageRecord, OperationRecord } from "./asyncapi-record.ts";
import { type ChannelEntity, entityOf } from "./channel-entity.ts";
import { selfContained } from "./payload-schema.ts";
import { isMultiFormat, schemaFormat } from "./schema-format.ts";

/** A subject that a message's payload becomes. */
export interface ImportedSubject {
  readonly name: string;
  readonly format: "json-schema" | "protobuf";
  readonly schema: unknown;
  readonly contentType: string | undefined;
  readonly isProduced: boolean;
  readonly isConsumed: boolean;
}

/** An AsyncAPI document in our terms. */
export interface ImportedDocument {
  readonly subjects: readonly ImportedSubject[];
  readonly entities: readonly ChannelEntity[];
  readonly record: AsyncApiRecord;
  /** JSON Pointers of the parts that were not imported. */
  readonly lost: readonly string[];
}

/**
 * Reads an AsyncAPI 3 document: payloads become subjects, channels entities, and operations what is produced and consumed.
 *
 * @throws SobreError `InvalidArgument` naming the place that is wrong.
 */
export function importAsyncApi(value: unknown): ImportedDocument {
  return new Importer(new AsyncApiDocument(value)).made();
}

const texts = ["title", "summary", "description"];

class Importer {
  readonly #document: AsyncApiDocument;
  readonly #names = new Map<string, string>();
  readonly #messages = new Map<string, MessageRecord>();
  readonly #subjects = new Map<string, Omit<ImportedSubject, "isProduced" | "isConsumed">>();
  readonly #produced = new Set<string>();
  readonly #consumed = new Set<string>();

  constructor(document: AsyncApiDocument) {
    this.#document = document;
  }

  made(): ImportedDocument {
    const document = this.#document;
    const { root } = document;
    const { defaultContentType } = document.kept(root, [
      "asyncapi",
      "info",
      "defaultContentType",
      "channels",
      "operations",
      "components",
    ]);
    const info = document.kept(document.needed(root, "info"), ["title", "version", "description"]);
    const components = document.member(root, "components");
    // Messages of the components keep their names.
    if (components !== undefined)
      for (const [name, message] of document.members(components, "messages")) {
        document.use(`/components/messages/${message.pointer.split("/").at(-1) ?? name}`);
        this.#message(message, name);
      }
    const channels = document.members(root, "channels");
    const entities = channels.flatMap(([, channel]) => entityOf(channel) ?? []);
    const channelRecords = channels.map(([name, channel]) => [name, this.#channel(name, channel)] as const);
    const operations = document
      .members(root, "operations")
      .map(([name, operation]) => [name, this.#operation(operation, new Map(channelRecords))] as const);
    document.loseUnused();
    return {
      subjects: Array.from(this.#subjects.values(), (subject) => ({
        ...subject,
        isProduced: this.#produced.has(subject.name),
        isConsumed: this.#consumed.has(subject.name),
      })),
      entities,
      record: {
        info,
        ...(typeof defaultContentType === "string" ? { defaultContentType } : {}),
        channels: Object.fromEntries(channelRecords),
        operations: Object.fromEntries(operations),
        messages: Object.fromEntries(this.#messages),
      },
      lost: Array.from(document.lost).toSorted(),
    };
  }

  #channel(name: string, channel: DocumentPlace): ChannelRecord {
    const document = this.#document;
    const {
      messages: _,
      parameters: __,
      ...members
    } = document.kept(channel, ["address", "messages", "parameters", ...texts]);
    const parameters = document
      .members(channel, "parameters")
      .map(([key, place]) => [key, document.kept(place, ["enum", "default", "description", "examples", "location"])]);
    const messages = document
      .members(channel, "messages")
      .map(([key, message]) => [key, this.#message(message, key, name)] as const);
    return {
      members: { ...members, ...(parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters) }) },
      messages: Object.fromEntries(messages),
    };
  }

  /** The name of a message among the components of an export. */
  #message(place: DocumentPlace, key: string, channel = ""): string {
    const document = this.#document;
    const known = this.#names.get(place.pointer);
    if (known !== undefined) return known;
    const plain = [key, `${channel}.${key}`].map((one) => one.replaceAll(/[^\w.-]/g, "_").replace(/^\.+/, "_"));
    const [own = "message", longer = own] = plain;
    const name = this.#messages.has(own) ? freeName(longer, this.#messages) : own || "message";
    this.#names.set(place.pointer, name);
    // The payload may refer to a message of the same name.
    this.#messages.set(name, { members: {} });
    const {
      payload: _,
      headers: __,
      ...members
    } = document.kept(place, ["name", "contentType", "payload", "headers", "correlationId", ...texts]);
    const correlation = document.member(place, "correlationId");
    const headers = document.member(place, "headers");
    const isReadable = headers !== undefined && !isMultiFormat(headers);
    if (headers !== undefined && !isReadable) document.lose(place.pointer, "headers");
    const contentType = members["contentType"] ?? document.root.value["defaultContentType"];
    const payload = this.#payload(place, name, typeof contentType === "string" ? contentType : undefined);
    this.#messages.set(name, {
      members: {
        ...members,
        ...(correlation === undefined
          ? {}
          : { correlationId: document.kept(correlation, ["description", "location"]) }),
      },
      ...payload,
      ...(isReadable ? { headers: selfContained(document, place.value["headers"], `${place.pointer}/headers`) } : {}),
    });
    return name;
  }

  #payload(
    place: DocumentPlace,
    name: string,
    contentType: string | undefined,
  ): Pick<MessageRecord, "subject" | "schemaFormat" | "component"> {
    const document = this.#document;
    const given = place.value["payload"];
    if (given === undefined) return {};
    const pointer = `${place.pointer}/payload`;
    const target = typeof given === "boolean" ? undefined : document.follow(given, pointer);
    const isWrapped = target !== undefined && isMultiFormat(target);
    const written: unknown = isWrapped ? target.value["schemaFormat"] : undefined;
    const format = schemaFormat(written);
    if (format === undefined) {
      document.lose(place.pointer, "payload");
      return {};
    }
    if (isWrapped) document.kept(target, ["schemaFormat", "schema"]);
    const [, component] = /^\/components\/schemas\/([^/]+)$/.exec(isWrapped ? target.pointer : "") ?? [];
    const source = isWrapped ? target.value["schema"] : given;
    const place_ = isWrapped ? `${target.pointer}/schema` : pointer;
    const schema =
      format.format === "protobuf" ? protoText(source, place_) : this.#jsonSchema(source, place_, format.dialect);
    this.#subjects.set(name, { name, format: format.format, schema, contentType });
    return {
      subject: name,
      ...(typeof written === "string" ? { schemaFormat: written } : {}),
      ...(component === undefined ? {} : { component: decodedToken(component) }),
    };
  }

  #jsonSchema(source: unknown, pointer: string, dialect: string | undefined): unknown {
    const document = this.#document;
    const parsed = typeof source === "string" ? parseYaml(source, pointer) : source;
    const schema = selfContained(document, parsed, pointer);
    if (!isObject(schema)) return schema;
    for (const own of ["definitions", "$defs"])
      if (isObject(parsed) && parsed[own] !== undefined) document.lose(pointer, own);
    if (schema["$schema"] !== undefined) {
      if (schema["$schema"] === dialect) document.lose(pointer, "$schema");
      return schema;
    }
    return dialect === undefined ? schema : { $schema: dialect, ...schema };
  }

  #operation(place: DocumentPlace, channels: ReadonlyMap<string, ChannelRecord>): OperationRecord {
    const document = this.#document;
    const {
      action,
      channel: _,
      messages: __,
      reply: ___,
      ...members
    } = document.kept(place, ["action", "channel", "messages", "reply", ...texts]);
    if (action !== "send" && action !== "receive")
      throw invalidDocument(`${place.pointer}/action`, "must be send or receive");
    const channel = this.#channelOf(place);
    if (channel === undefined) throw invalidDocument(`${place.pointer}/channel`, "is missing");
    const messages = this.#messagesOf(place);
    this.#count(action, channels.get(channel), messages);
    const replyPlace = document.member(place, "reply");
    if (replyPlace === undefined) return { action, channel, members, ...(messages === undefined ? {} : { messages }) };
    document.kept(replyPlace, ["address", "channel", "messages"]);
    const address = document.member(replyPlace, "address");
    const replyChannel = this.#channelOf(replyPlace);
    const replies = this.#messagesOf(replyPlace);
    if (replyChannel !== undefined)
      this.#count(action === "send" ? "receive" : "send", channels.get(replyChannel), replies);
    return {
      action,
      channel,
      members,
      ...(messages === undefined ? {} : { messages }),
      reply: {
        members: address === undefined ? {} : { address: document.kept(address, ["location", "description"]) },
        ...(replyChannel === undefined ? {} : { channel: replyChannel }),
        ...(replies === undefined ? {} : { messages: replies }),
      },
    };
  }

  /** The key of the channel that an operation refers to. */
  #channelOf(place: DocumentPlace): string | undefined {
    const given = place.value["channel"];
    if (given === undefined) return undefined;
    const channel = this.#document.follow(given, `${place.pointer}/channel`);
    const named = this.#document
      .members(this.#document.root, "channels")
      .find(([, one]) => one.value === channel.value);
    if (named !== undefined) return named[0];
    throw invalidDocument(`${place.pointer}/channel`, "must refer to one of the channels");
  }

  /** The keys that the messages of an operation have in their channel. */
  #messagesOf(place: DocumentPlace): readonly string[] | undefined {
    const items: unknown = place.value["messages"];
    this.#document.list(place, "messages");
    if (!Array.isArray(items)) return undefined;
    return items.map((item: unknown, at) => {
      const reference: unknown = isObject(item) ? item["$ref"] : undefined;
      const [, key] = typeof reference === "string" ? (/\/messages\/([^/]+)$/.exec(reference) ?? []) : [];
      if (key !== undefined) return decodedToken(key);
      throw invalidDocument(`${place.pointer}/messages/${at}`, "must refer to a message of the channel");
    });
  }

  #count(
    action: "send" | "receive",
    channel: ChannelRecord | undefined,
    messages: readonly string[] | undefined,
  ): void {
    for (const [key, name] of Object.entries(channel?.messages ?? {})) {
      const { subject } = this.#messages.get(name) ?? {};
      if (subject === undefined || (messages !== undefined && !messages.includes(key))) continue;
      (action === "send" ? this.#produced : this.#consumed).add(subject);
    }
  }
}

function protoText(source: unknown, pointer: string): string {
  if (typeof source !== "string") throw invalidDocument(pointer, "must be the text of a .proto file");
  try {
    openProtobufSchema(source);
  } catch (error) {
    throw new SobreError(
      "InvalidArgument",
      `${pointer}: ${error instanceof Error ? error.message : "it cannot be read"}`,
      {
        cause: error,
      },
    );
  }
  return source;
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  for (let at = 2; ; at++) {
    const free = at === 2 ? name : `${name}-${at - 1}`;
    if (!taken.has(free)) return free;
  }
}
