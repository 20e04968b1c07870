/** Documents of the size of the specification's examples. */

/** Lamps along streets: parameters, traits, bindings, security, shared schemas. */
export const streetlights: string = `asyncapi: 3.0.0
info:
  title: Streetlights Kafka API
  version: 1.0.0
  description: |-
    Lamps are measured and dimmed.
  license: { name: Apache 2.0, url: https://www.apache.org/licenses/LICENSE-2.0 }
id: urn:example:lamps
defaultContentType: application/json
servers:
  scram-connections:
    host: test.example.org:18092
    protocol: kafka-secure
    security: [{ $ref: '#/components/securitySchemes/saslScram' }]
channels:
  lightingMeasured:
    address: lamps.1.0.event.{lampId}.lighting.measured
    title: Measurements
    description: Where every lamp says how bright it is.
    servers: [{ $ref: '#/servers/scram-connections' }]
    tags: [{ name: lamps }]
    messages:
      lightMeasured: { $ref: '#/components/messages/lightMeasured' }
    parameters:
      lampId: { $ref: '#/components/parameters/lampId' }
    bindings: { amqp: { is: routingKey } }
  lightTurnOn:
    address: lamps.1.0.action.{lampId}.turn.on
    messages:
      turnOn: { $ref: '#/components/messages/turnOnOff' }
    parameters:
      lampId: { $ref: '#/components/parameters/lampId' }
  lightsDim:
    address: lamps.1.0.action.{lampId}.dim
    messages:
      dimLight:
        name: dimLight
        title: Dim a lamp
        payload:
          oneOf:
            - { $ref: '#/components/schemas/dimPercentage' }
            - type: object
              properties:
                off: { const: true }
                properties: { type: object, properties: { $ref: { type: string } } }
              required: [off]
    parameters:
      lampId: { description: The lamp, enum: [a, b], default: a }
operations:
  receiveLightMeasurement:
    action: receive
    channel: { $ref: '#/channels/lightingMeasured' }
    summary: Brightness comes in.
    traits: [{ $ref: '#/components/operationTraits/kafka' }]
    messages: [{ $ref: '#/channels/lightingMeasured/messages/lightMeasured' }]
  turnOn:
    action: send
    channel: { $ref: '#/channels/lightTurnOn' }
    security: [{ $ref: '#/components/securitySchemes/saslScram' }]
    messages: [{ $ref: '#/channels/lightTurnOn/messages/turnOn' }]
  dimLight:
    action: send
    channel: { $ref: '#/channels/lightsDim' }
    bindings: { kafka: { clientId: { type: string } } }
components:
  messages:
    lightMeasured:
      name: lightMeasured
      title: Light measured
      summary: How bright a lamp is.
      contentType: application/json
      traits: [{ $ref: '#/components/messageTraits/commonHeaders' }]
      payload: { $ref: '#/components/schemas/lightMeasuredPayload' }
      examples: [{ payload: { lumens: 3, sentAt: '2026-01-31T12:00:00Z' } }]
    turnOnOff:
      name: turnOnOff
      title: Turn on or off
      headers:
        type: object
        properties: { x-lamp: { $ref: '#/components/schemas/lampName' } }
      payload: { $ref: '#/components/schemas/turnOnOffPayload' }
  schemas:
    lightMeasuredPayload:
      type: object
      required: [lumens]
      properties:
        lumens: { type: integer, minimum: 0, description: Light intensity }
        sentAt: { $ref: '#/components/schemas/sentAt' }
        near: { type: array, items: { $ref: '#/components/schemas/lightMeasuredPayload' } }
    turnOnOffPayload:
      type: object
      properties:
        command: { type: string, enum: ['on', 'off'] }
        sentAt: { $ref: '#/components/schemas/sentAt' }
    dimPercentage:
      type: object
      properties: { percentage: { type: integer, minimum: 0, maximum: 100 } }
      required: [percentage]
    sentAt: { type: string, format: date-time }
    lampName: { type: string, minLength: 1 }
    nobodyUsesThis: { type: number }
  securitySchemes:
    saslScram: { type: scramSha256 }
  parameters:
    lampId: { description: The name of the lamp., examples: [lamp-1] }
  messageTraits:
    commonHeaders: { headers: { type: object, properties: { my-app-header: { type: integer } } } }
  operationTraits:
    kafka: { bindings: { kafka: { clientId: { type: string, enum: [my-app-id] } } } }
`;

/** Whatever of it is not taken over. */
export const lostOfStreetlights: readonly string[] = [
  "/channels/lightingMeasured/bindings",
  "/channels/lightingMeasured/servers",
  "/channels/lightingMeasured/tags",
  "/components/messageTraits/commonHeaders",
  "/components/messages/lightMeasured/examples",
  "/components/messages/lightMeasured/traits",
  "/components/operationTraits/kafka",
  "/components/schemas/nobodyUsesThis",
  "/components/securitySchemes/saslScram",
  "/id",
  "/info/license",
  "/operations/dimLight/bindings",
  "/operations/receiveLightMeasurement/traits",
  "/operations/turnOn/security",
  "/servers",
];

/** Prices that are asked for and answered: replies to a fixed channel, and to an address of the request. */
export const requestReply: object = {
  asyncapi: "3.0.0",
  info: { title: "Costing", version: "2.4.1" },
  channels: {
    costingRequest: {
      address: "costing/request",
      messages: {
        ask: { $ref: "#/components/messages/costingRequest" },
        cancel: { $ref: "#/components/messages/cancel" },
      },
    },
    costingResponse: {
      address: "costing/response",
      messages: { answer: { $ref: "#/components/messages/costingResponse" } },
    },
    replies: { address: null, messages: { answer: { $ref: "#/components/messages/costingResponse" } } },
  },
  operations: {
    requestCosting: {
      action: "send",
      channel: { $ref: "#/channels/costingRequest" },
      title: "Ask for the price",
      messages: [{ $ref: "#/channels/costingRequest/messages/ask" }],
      reply: {
        channel: { $ref: "#/channels/costingResponse" },
        messages: [{ $ref: "#/channels/costingResponse/messages/answer" }],
      },
    },
    answerElsewhere: {
      action: "receive",
      channel: { $ref: "#/channels/costingRequest" },
      messages: [{ $ref: "#/channels/costingRequest/messages/cancel" }],
      reply: { $ref: "#/components/replies/toSender" },
    },
  },
  components: {
    replies: {
      toSender: {
        address: { $ref: "#/components/replyAddresses/sender" },
        channel: { $ref: "#/channels/replies" },
      },
    },
    replyAddresses: { sender: { location: "$message.header#/replyTo", description: "Where the sender listens." } },
    correlationIds: { request: { location: "$message.header#/requestId" } },
    messages: {
      costingRequest: {
        name: "CostingRequestV1",
        correlationId: { $ref: "#/components/correlationIds/request" },
        headers: {
          type: "object",
          required: ["requestId"],
          properties: { requestId: { $ref: "#/components/schemas/id" }, version: { const: "1" } },
        },
        payload: {
          type: "object",
          properties: {
            id: { $ref: "#/components/schemas/id" },
            lines: { type: "array", items: { $ref: "#/components/schemas/line" }, minItems: 1 },
          },
          required: ["id", "lines"],
          additionalProperties: false,
        },
      },
      costingResponse: {
        correlationId: { $ref: "#/components/correlationIds/request" },
        payload: {
          allOf: [
            { $ref: "#/components/schemas/line/properties/amount" },
            { type: "object", properties: { total: { $ref: "#/components/schemas/line/properties/amount" } } },
          ],
        },
      },
      cancel: { payload: true },
    },
    schemas: {
      id: { type: "string", format: "uuid" },
      line: {
        type: "object",
        properties: {
          sku: { type: "string" },
          amount: { type: "object", properties: { cents: { type: "integer" } } },
          parts: { type: "array", items: { $ref: "#/components/schemas/line" } },
        },
      },
    },
  },
};

/** Schemas in JSON Schema of two dialects, Protobuf and Avro. */
export const multiFormat: object = {
  asyncapi: "3.0.0",
  info: { title: "Accounts", version: "1.0.0" },
  defaultContentType: "application/json",
  channels: {
    userSignedUp: {
      address: "user/signedup",
      messages: {
        plain: {
          payload: {
            schemaFormat: "application/schema+json;version=draft-07",
            schema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
          },
        },
        modern: { payload: { $ref: "#/components/schemas/modern" } },
        proto: {
          contentType: "application/protobuf",
          payload: {
            schemaFormat: "application/vnd.google.protobuf;version=3",
            schema: 'syntax = "proto3"; package accounts; message SignedUp { string name = 1; int64 at = 2; }',
          },
        },
        avro: {
          title: "In Avro",
          payload: {
            schemaFormat: "application/vnd.apache.avro;version=1.9.0",
            schema: { type: "record", name: "SignedUp", fields: [{ name: "name", type: "string" }] },
          },
        },
        own: {
          payload: {
            schemaFormat: "application/vnd.aai.asyncapi+json;version=3.0.0",
            schema: { type: "object", properties: { at: { $ref: "#/components/schemas/at" } } },
          },
        },
        plain2: { payload: { type: "object", properties: { plain: { $ref: "#/components/schemas/at" } } } },
      },
    },
    "__proto__x/y": { address: "a", messages: { plain: { payload: { type: "null" } } } },
  },
  operations: { onUser: { action: "receive", channel: { $ref: "#/channels/userSignedUp" } } },
  components: {
    schemas: {
      at: { type: "string", format: "date-time" },
      modern: {
        schemaFormat: "application/schema+json;version=2020-12",
        schema: { type: "array", prefixItems: [{ type: "string" }, { $ref: "#/components/schemas/at" }] },
      },
    },
  },
};
