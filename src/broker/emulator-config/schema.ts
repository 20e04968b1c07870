const text = { type: "string" };
const flag = { type: "boolean" };
const name = { type: "string", minLength: 1, maxLength: 260 };
const days = String.raw`(\d+Y(\d+M)?(\d+D)?|\d+M(\d+D)?|\d+D)`;
const clock = String.raw`T(\d+H(\d+M)?(\d+(\.\d+)?S)?|\d+M(\d+(\.\d+)?S)?|\d+(\.\d+)?S)`;
const duration = {
  type: "string",
  pattern: String.raw`^(P(${days}(${clock})?|${clock})|\d{1,15}(\.\d{1,3})?(ms|s|m|h|d))$`,
  description:
    "An ISO 8601 duration, such as PT1M30S or P1Y (365 days); or a number and its unit, such as 90s, which the official emulator does not read.",
};

const shared = {
  DefaultMessageTimeToLive: duration,
  AutoDeleteOnIdle: duration,
  Status: { enum: ["Active", "Disabled", "SendDisabled", "ReceiveDisabled"] },
  UserMetadata: text,
};
const sendable = {
  RequiresDuplicateDetection: flag,
  DuplicateDetectionHistoryTimeWindow: duration,
  MaxSizeInMegabytes: { type: "integer", minimum: 1 },
  EnablePartitioning: flag,
};
const receivable = {
  LockDuration: duration,
  MaxDeliveryCount: { type: "integer", minimum: 1 },
  DeadLetteringOnMessageExpiration: flag,
  RequiresSession: flag,
  ForwardTo: text,
  ForwardDeadLetteredMessagesTo: text,
};

const object = (properties: object, required: readonly string[] = []): object => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const list = (items: object, limits: object = {}): object => ({ type: "array", items, ...limits });

const expression = object({ SqlExpression: { type: "string", minLength: 1, maxLength: 1024 } }, ["SqlExpression"]);
const correlation = {
  ...object({
    ContentType: text,
    CorrelationId: text,
    Label: text,
    MessageId: text,
    ReplyTo: text,
    ReplyToSessionId: text,
    SessionId: text,
    To: text,
    Properties: {
      type: "object",
      minProperties: 1,
      additionalProperties: { type: ["string", "number", "boolean"] },
    },
  }),
  minProperties: 1,
};
const only = (type: string, needed: string, refused: string): object => ({
  if: { required: ["FilterType"], properties: { FilterType: { const: type } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: [needed], properties: { [refused]: false } },
});
const filter = {
  ...object(
    {
      FilterType: { enum: ["Correlation", "Sql"] },
      CorrelationFilter: correlation,
      SqlFilter: expression,
      Action: expression,
    },
    ["FilterType"],
  ),
  // Of a wrong type that alone is said.
  allOf: [only("Sql", "SqlFilter", "CorrelationFilter"), only("Correlation", "CorrelationFilter", "SqlFilter")],
};
const rule = object({ Name: name, Properties: filter }, ["Name", "Properties"]);
const subscription = object(
  {
    Name: name,
    Properties: object({ ...shared, ...receivable, DeadLetteringOnFilterEvaluationExceptions: flag }),
    Rules: list(rule),
  },
  ["Name"],
);
const topic = object(
  { Name: name, Properties: object({ ...shared, ...sendable }), Subscriptions: list(subscription) },
  ["Name"],
);
const queue = object({ Name: name, Properties: object({ ...shared, ...sendable, ...receivable }) }, ["Name"]);
const sharedAccessKey = {
  ...object({ Name: name, Key: name, Rights: list({ enum: ["Send", "Listen", "Manage"] }, { minItems: 1 }) }, [
    "Name",
    "Key",
  ]),
  description: "A key that opens the namespace; the official emulator does not know it. Without Rights it has all.",
};
const namespace = object(
  { Name: name, SharedAccessKeys: list(sharedAccessKey), Queues: list(queue), Topics: list(topic) },
  ["Name"],
);

/** The JSON Schema of a configuration; `schemas/emulator-config.schema.json` is this, written out. */
export const emulatorConfigSchema: object = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Entities of a memory engine, in the format of the official emulator's Config.json",
  ...object(
    {
      $schema: text,
      UserConfig: object(
        {
          Namespaces: list(namespace, { minItems: 1, maxItems: 1 }),
          Logging: object({ Type: text }),
        },
        ["Namespaces"],
      ),
    },
    ["UserConfig"],
  ),
};
