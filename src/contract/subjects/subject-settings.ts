/** The JSON Schema of `subject.json`, published as `schemas/subject.schema.json`; settings are checked against what it lists. */
export const subjectSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "urn:sobre:schema:subject:1",
  title: "subject.json",
  description:
    "Settings of a subject: the versions of one message type in a folder, and how sobre contract compares them.",
  type: "object",
  properties: {
    $schema: { type: "string" },
    $comment: { type: "string" },
    owner: { description: "The team or service that the subject belongs to.", type: "string" },
    codecs: {
      description: "The codecs of its messages: json, msgpack, amqp, protobuf. Each has a row in a verdict.",
      type: "array",
      items: { type: "string" },
    },
    policy: {
      type: "object",
      properties: {
        $comment: { type: "string" },
        direction: {
          description: "Who reads whom: newer versions the messages of older ones, the reverse, or both.",
          enum: ["backward", "forward", "full"],
          default: "backward",
        },
        contentModel: {
          description:
            "The messages that writers send: of declared members, all that the schema allows, or as an upcaster makes them.",
          enum: ["declared-writer", "as-written", "upcast"],
          default: "declared-writer",
        },
        formats: {
          description: "Whether format refuses anything. The default gives verdicts that hold either way.",
          enum: ["either", "annotation", "assertion"],
          default: "either",
        },
        protobuf: {
          description:
            "The forms of a Protobuf message that stay compatible: bytes and JSON, only bytes, or names in code too.",
          enum: ["json", "wire", "source"],
          default: "json",
        },
        typeName: {
          description:
            "Whether the name of a Protobuf message travels with it, or reader and writer agree on it otherwise.",
          enum: ["travels", "agreed"],
          default: "travels",
        },
        tested: {
          description: "Whether --strict accepts an upcaster that passed its search without a proof.",
          enum: ["allow", "refuse"],
          default: "allow",
        },
        ignore: {
          description: "Codes of findings that are not reported.",
          type: "array",
          items: { type: "string" },
        },
      },
      additionalProperties: false,
    },
    inFlight: {
      description:
        "The versions that services send and read. Default: the newest version meets the others of its major.",
      type: "array",
      items: {
        type: "object",
        properties: {
          $comment: { type: "string" },
          service: { type: "string" },
          produces: { type: "array", items: { type: "string", pattern: "^[0-9]+\\.[0-9]+$" } },
          consumes: { type: "array", items: { type: "string", pattern: "^[0-9]+\\.[0-9]+$" } },
        },
        required: ["service"],
        additionalProperties: false,
      },
    },
    envelope: {
      description: "The properties that producers set, as in envelope.schema.json; golden messages have them.",
      type: "object",
      properties: {
        brokerProperties: { type: "object", properties: { contentType: false } },
        applicationProperties: { type: "object" },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;
