import { SobreError } from "../../core/errors/sobre-error.ts";
import { isObject, objectOf } from "../json-schema/json-value.ts";
import { escapeToken } from "../json-schema/schema-document.ts";
import type { Subject } from "../subjects/subject.ts";
import type { AsyncApiRecord, ChannelRecord, MessageRecord, OperationRecord } from "./asyncapi-record.ts";
import { SchemaComponents } from "./payload-schema.ts";
import { schemaFormat } from "./schema-format.ts";

type ExportedMembers = Readonly<Record<string, unknown>>;

/** An AsyncAPI 3 document of subjects by their newest versions. */
export function exportAsyncApi(subjects: readonly Subject[], record: AsyncApiRecord): ExportedMembers {
  const components = new SchemaComponents();
  const messages = Object.entries(record.messages).map(([name, { members, headers, ...payload }]) => {
    const pointer = `/components/messages/${escapeToken(name)}`;
    const own = headers === undefined ? {} : { headers: components.placed(headers, `${pointer}/headers`, name) };
    const made = payloadOf(subjects, payload, { pointer: `${pointer}/payload`, name, components });
    return [name, { ...members, ...own, ...(made === undefined ? {} : { payload: made }) }] as const;
  });
  const channels = Object.entries(record.channels).map(([name, channel]) => [name, channelObject(channel)] as const);
  const operations = Object.entries(record.operations).map(([name, one]) => [name, operationObject(one)] as const);
  const { defaultContentType } = record;
  return {
    asyncapi: "3.0.0",
    info: record.info,
    ...(defaultContentType === undefined ? {} : { defaultContentType }),
    channels: objectOf(channels),
    operations: objectOf(operations),
    components: { schemas: components.all(), messages: objectOf(messages) },
  };
}

/**
 * The record of subjects that no document was imported for: each has a message and a channel of its name, and a service the
 * operations that its versions in flight mean.
 */
export function recordOf(subjects: readonly Subject[], service: string | undefined): AsyncApiRecord {
  const known = subjects.filter(({ versions }) => versions.length > 0);
  const operations = known.flatMap(({ name, inFlight }) =>
    inFlight
      .filter((one) => one.service === service)
      .flatMap(({ produces, consumes }) => [
        ...(produces.length === 0 ? [] : [[`send.${name}`, { action: "send", channel: name, members: {} }] as const]),
        ...(consumes.length === 0
          ? []
          : [[`receive.${name}`, { action: "receive", channel: name, members: {} }] as const]),
      ]),
  );
  return {
    info: { title: service ?? "subjects", version: "1.0.0" },
    channels: Object.fromEntries(
      known.map(({ name }) => [name, { members: { address: name }, messages: { [name]: name } }]),
    ),
    operations: Object.fromEntries(operations),
    messages: Object.fromEntries(
      known.map(({ name, codecs, versions }) => {
        const isProto = versions.at(-1)?.format === "protobuf";
        const contentType = isProto ? "application/protobuf" : contentTypes[codecs[0] ?? "json"];
        return [name, { subject: name, members: contentType === undefined ? {} : { contentType } }];
      }),
    ),
  };
}

const contentTypes: Readonly<Record<string, string>> = {
  json: "application/json",
  msgpack: "application/msgpack",
};

function payloadOf(
  subjects: readonly Subject[],
  { subject, schemaFormat: written, component }: Omit<MessageRecord, "members">,
  {
    pointer,
    name,
    components,
  }: { readonly pointer: string; readonly name: string; readonly components: SchemaComponents },
): unknown {
  if (subject === undefined) return undefined;
  const newest = subjects.find((one) => one.name === subject)?.versions.at(-1);
  if (newest === undefined)
    throw new SobreError(
      "InvalidArgument",
      `asyncapi.json names the subject ${subject}, which has no version. Restore it, or import again.`,
    );
  const place = component === undefined ? pointer : `/components/schemas/${escapeToken(component)}`;
  const isProto = newest.format === "protobuf";
  const named = written ?? (isProto ? "application/vnd.google.protobuf;version=3" : foreignFormat(newest.schema));
  const inner = named === undefined ? place : `${place}/schema`;
  const schema = isProto ? newest.text : withoutDialect(components.placed(newest.schema, inner, name), named);
  const payload = named === undefined ? schema : { schemaFormat: named, schema };
  if (component === undefined) return payload;
  components.add(component, payload);
  return { $ref: `#${place}` };
}

/** The format of a schema that is not in the dialect of AsyncAPI. */
function foreignFormat(schema: unknown): string | undefined {
  const dialect: unknown = isObject(schema) ? schema["$schema"] : undefined;
  const [version] = typeof dialect === "string" ? (/draft-0[46]|2019-09|2020-12/.exec(dialect) ?? []) : [];
  return version === undefined ? undefined : `application/schema+json;version=${version}`;
}

function withoutDialect(schema: unknown, named: string | undefined): unknown {
  if (!isObject(schema) || schema["$schema"] !== schemaFormat(named)?.dialect) return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}

function channelObject({ members, messages }: ChannelRecord): ExportedMembers {
  const references = Object.entries(messages).map(
    ([key, name]) => [key, { $ref: `#/components/messages/${escapeToken(name)}` }] as const,
  );
  return { ...members, ...(references.length === 0 ? {} : { messages: objectOf(references) }) };
}

function operationObject({ action, channel, members, messages, reply }: OperationRecord): ExportedMembers {
  return {
    action,
    channel: channelReference(channel),
    ...members,
    ...messageReferences(channel, messages),
    ...(reply === undefined
      ? {}
      : {
          reply: {
            ...reply.members,
            ...(reply.channel === undefined ? {} : { channel: channelReference(reply.channel) }),
            ...messageReferences(reply.channel ?? channel, reply.messages),
          },
        }),
  };
}

function channelReference(channel: string): ExportedMembers {
  return { $ref: `#/channels/${escapeToken(channel)}` };
}

function messageReferences(channel: string, messages: readonly string[] | undefined): ExportedMembers {
  const place = `#/channels/${escapeToken(channel)}/messages`;
  return messages === undefined ? {} : { messages: messages.map((key) => ({ $ref: `${place}/${escapeToken(key)}` })) };
}
