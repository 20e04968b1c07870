import { SobreError } from "../../core/errors/sobre-error.ts";
import { isObject } from "../json-schema/json-value.ts";
import { parseJson } from "../sources/exact-json.ts";

type RecordMembers = Readonly<Record<string, unknown>>;

/** The parts of an AsyncAPI document that do not fit into subjects; they are kept in `asyncapi.json`. */
export interface AsyncApiRecord {
  readonly info: RecordMembers;
  readonly defaultContentType?: string;
  readonly channels: Readonly<Record<string, ChannelRecord>>;
  readonly operations: Readonly<Record<string, OperationRecord>>;
  /** By their names among the components. */
  readonly messages: Readonly<Record<string, MessageRecord>>;
}

/** A channel: members of AsyncAPI, and the messages by the channel's own names. */
export interface ChannelRecord {
  readonly members: RecordMembers;
  readonly messages: Readonly<Record<string, string>>;
}

/** An operation of a service. */
export interface OperationRecord {
  readonly action: "send" | "receive";
  readonly channel: string;
  readonly members: RecordMembers;
  /** Names of the channel's messages. Default: all of them. */
  readonly messages?: readonly string[];
  readonly reply?: {
    readonly members: RecordMembers;
    readonly channel?: string;
    readonly messages?: readonly string[];
  };
}

/** A message: members of AsyncAPI, and the subject of its payload. */
export interface MessageRecord {
  readonly members: RecordMembers;
  /** Missing if the message has no payload, or one in a format that is not supported. */
  readonly subject?: string;
  readonly schemaFormat?: string;
  /** The component that is the schema with its format. */
  readonly component?: string;
  readonly headers?: unknown;
}

/** The text of `asyncapi.json`. */
export function recordText(record: AsyncApiRecord): string {
  return `${JSON.stringify(record, undefined, 2)}\n`;
}

/** Parses `asyncapi.json`. @throws SobreError `InvalidArgument` naming the place that is wrong. */
export function parseRecord(text: string): AsyncApiRecord {
  const { info, defaultContentType, channels, operations, messages } = membersAt(parseJson(text, file), "it");
  return {
    info: membersAt(info, "info"),
    ...textIn({ defaultContentType }, "defaultContentType", ""),
    channels: mapped(channels, "channels", (value, place) => {
      const channel = membersAt(value, place);
      return {
        members: membersAt(channel["members"] ?? {}, `${place}.members`),
        messages: mapped(channel["messages"], `${place}.messages`, textAt),
      };
    }),
    operations: mapped(operations, "operations", operationAt),
    messages: mapped(messages, "messages", (value, place) => {
      const message = membersAt(value, place);
      return {
        members: membersAt(message["members"] ?? {}, `${place}.members`),
        ...textIn(message, "subject", place),
        ...textIn(message, "schemaFormat", place),
        ...textIn(message, "component", place),
        ...(message["headers"] === undefined ? {} : { headers: message["headers"] }),
      };
    }),
  };
}

const file = "asyncapi.json";

function operationAt(value: unknown, place: string): OperationRecord {
  const own = membersAt(value, place);
  const { action, reply } = own;
  if (action !== "send" && action !== "receive") throw invalidRecord(`${place}.action`, "send or receive");
  const replied = reply === undefined ? undefined : membersAt(reply, `${place}.reply`);
  return {
    action,
    channel: textAt(own["channel"], `${place}.channel`),
    members: membersAt(own["members"] ?? {}, `${place}.members`),
    ...listIn(own, place),
    ...(replied === undefined
      ? {}
      : {
          reply: {
            members: membersAt(replied["members"] ?? {}, `${place}.reply.members`),
            ...textIn(replied, "channel", `${place}.reply`),
            ...listIn(replied, `${place}.reply`),
          },
        }),
  };
}

function listIn({ messages }: RecordMembers, place: string): { readonly messages?: readonly string[] } {
  if (messages === undefined) return {};
  if (!Array.isArray(messages)) throw invalidRecord(`${place}.messages`, "a list");
  return { messages: messages.map((item: unknown) => textAt(item, `${place}.messages`)) };
}

function textIn<Name extends string>(
  members: RecordMembers,
  name: Name,
  place: string,
): { readonly [Key in Name]?: string } {
  const value = members[name];
  const made: { [Key in Name]?: string } = {};
  return value === undefined ? made : { ...made, [name]: textAt(value, `${place}.${name}`) };
}

function mapped<Item>(
  value: unknown,
  place: string,
  read: (item: unknown, place: string) => Item,
): Readonly<Record<string, Item>> {
  const entries = Object.entries(membersAt(value ?? {}, place));
  return Object.fromEntries(entries.map(([name, item]) => [name, read(item, `${place}.${name}`)] as const));
}

function membersAt(value: unknown, place: string): RecordMembers {
  if (isObject(value)) return value;
  throw invalidRecord(place, "an object");
}

function textAt(value: unknown, place: string): string {
  if (typeof value === "string") return value;
  throw invalidRecord(place, "a text");
}

function invalidRecord(place: string, what: string): SobreError {
  return new SobreError("InvalidArgument", `${file}: ${place} must be ${what}.`);
}
