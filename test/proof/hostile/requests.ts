import { AmqpMap, type AmqpValue } from "../../../src/core/values/typed.ts";
import { typed } from "../../../src/core/values/typed-makers.ts";
import { type Answer, type HostileCase, request, uint } from "./cases.ts";

const map = (entries: Readonly<Record<string, AmqpValue>>): AmqpMap => new AmqpMap(Object.entries(entries));
const named = (operation: AmqpValue): AmqpMap => map({ operation });
const invalid: Answer = "reply com.microsoft:argument-error";

/** Operations of `$management` with arguments of which at least one is wrong. */
const management: readonly (readonly [string, string, Readonly<Record<string, AmqpValue>>, Answer?])[] = [
  ["peek-message", "no arguments", {}],
  ["peek-message", "a count of 0", { "from-sequence-number": typed.long(1n), "message-count": typed.int(0) }],
  ["peek-message", "a negative count", { "from-sequence-number": typed.long(1n), "message-count": typed.int(-1) }],
  ["peek-message", "a count that is a text", { "from-sequence-number": typed.long(1n), "message-count": "7" }],
  ["peek-message", "a number that is a text", { "from-sequence-number": "1", "message-count": typed.int(1) }],
  ["renew-lock", "no tokens", {}],
  ["renew-lock", "tokens that are a text", { "lock-tokens": "a" }],
  ["renew-lock", "tokens that are numbers", { "lock-tokens": typed.array("uint", [uint(1)]) }],
  ["schedule-message", "no messages", {}],
  ["schedule-message", "messages that are texts", { messages: ["a"] }],
  ["schedule-message", "a message without bytes", { messages: [map({ "message-id": "a" })] }],
  [
    "schedule-message",
    "a message of wrong bytes",
    { messages: [map({ message: Buffer.of(1, 2) })] },
    "reply amqp:decode-error",
  ],
  ["cancel-scheduled-message", "no numbers", {}],
  ["cancel-scheduled-message", "numbers that are texts", { "sequence-numbers": ["1"] }],
  [
    "cancel-scheduled-message",
    "a number that nothing has",
    { "sequence-numbers": typed.array("long", [typed.long(99n)]) },
    "reply com.microsoft:message-not-found",
  ],
  ["receive-by-sequence-number", "no numbers", {}],
  [
    "receive-by-sequence-number",
    "a mode that there is not",
    { "sequence-numbers": typed.array("long", [typed.long(1n)]), "receiver-settle-mode": uint(7) },
  ],
  ["update-disposition", "no status", { "lock-tokens": typed.array("uuid", []) }],
  [
    "update-disposition",
    "a status that there is not",
    { "disposition-status": "eaten", "lock-tokens": typed.array("uuid", []) },
  ],
  [
    "update-disposition",
    "properties that are a list",
    { "disposition-status": "abandoned", "lock-tokens": typed.array("uuid", []), "properties-to-modify": ["a"] },
  ],
  ["renew-session-lock", "no session", {}],
  ["renew-session-lock", "a session that is a number", { "session-id": uint(7) }],
  [
    "set-session-state",
    "a state that is a text",
    { "session-id": "a", "session-state": "b" },
    "reply com.microsoft:session-lock-lost",
  ],
  ["get-session-state", "no session", {}],
  [
    "get-message-sessions",
    "a negative place",
    { "last-updated-time": new Date(0), skip: typed.int(-1), top: typed.int(1) },
  ],
  [
    "get-message-sessions",
    "a time that is a text",
    { "last-updated-time": "now", skip: typed.int(0), top: typed.int(1) },
  ],
  ["batch-delete-messages", "no count", { "enqueued-time-utc": new Date(0) }],
  ["batch-delete-messages", "a time that is a number", { "message-count": typed.int(1), "enqueued-time-utc": uint(1) }],
];

const rules: readonly (readonly [string, string, Readonly<Record<string, AmqpValue>>, Answer?])[] = [
  ["add-rule", "no name", {}],
  [
    "add-rule",
    "a filter of 1,100 characters",
    { "rule-name": "r", "rule-description": map({ "sql-filter": map({ expression: "1=1 OR ".repeat(160) }) }) },
  ],
  [
    "add-rule",
    "a filter of 500 parentheses",
    { "rule-name": "r", "rule-description": map({ "sql-filter": map({ expression: "(".repeat(500) }) }) },
  ],
  [
    "add-rule",
    "a filter that is no SQL",
    { "rule-name": "r", "rule-description": map({ "sql-filter": map({ expression: "SELECT 1" }) }) },
  ],
  [
    "add-rule",
    "an action that is no SQL",
    {
      "rule-name": "r",
      "rule-description": map({
        "sql-filter": map({ expression: "1=1" }),
        "sql-rule-action": map({ expression: "DROP TABLE" }),
      }),
    },
  ],
  ["remove-rule", "a rule that is missing", { "rule-name": "none" }, "reply amqp:not-found"],
  ["enumerate-rules", "a negative count", { top: typed.int(-1), skip: typed.int(0) }],
];

const put = (type: AmqpValue, name: AmqpValue, token: AmqpValue): readonly Uint8Array[] =>
  request("$cbs", map({ operation: "put-token", type, name }), token);

/** Requests to `$management` and `$cbs`, whose answers say what is wrong. */
export const requestCases: readonly HostileCase[] = [
  ...[
    ["no operation", null],
    ["an operation that is a number", uint(7)],
    ["an operation without prefix", "peek-message"],
    ["an operation that there is not", "com.microsoft:eat-message"],
    ["an operation of JavaScript", "com.microsoft:constructor"],
  ].map(([what, operation]): HostileCase => ({
    what: `a request with ${String(what)}`,
    frames: request("q/$management", named(operation ?? null), new AmqpMap([])),
    answer: "reply amqp:not-implemented",
  })),
  ...[...management, ...rules].map(([operation, what, given, answer = invalid]): HostileCase => ({
    what: `${operation} with ${what}`,
    frames: request(
      `${rules.some(([one]) => one === operation) ? "t/Subscriptions/a" : operation.includes("session") ? "s" : "q"}/$management`,
      named(`com.microsoft:${operation}`),
      map(given),
    ),
    answer,
  })),
  ...(
    [
      ["no operation", request("$cbs", map({ type: "jwt" }), "a")],
      ["another operation", request("$cbs", map({ operation: "get-token" }), "a")],
      ["a type that there is not", put("kerberos", "sb://localhost/q", "a")],
      ["a token that is a number", put("servicebus.windows.net:sastoken", "sb://localhost/q", uint(7))],
      ["a token that is none", put("servicebus.windows.net:sastoken", "sb://localhost/q", "SharedAccessSignature")],
      ["a token of 9,000 characters", put("servicebus.windows.net:sastoken", "sb://localhost/q", "x".repeat(9000))],
    ] as const
  ).map(([what, frames]): HostileCase => ({ what: `$cbs with ${what}`, frames, answer: "none" })),
];
