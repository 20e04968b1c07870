import { typed } from "../../core/values/typed-makers.ts";
import { Typed } from "../../core/values/typed.ts";
import type { ApplicationPropertyValue } from "../../core/envelope/application-properties.ts";
import type { BrokerProperties } from "../../core/envelope/broker-properties.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { EngineCase } from "./engine-case.ts";
import { sample } from "./engine-cases-sql.ts";
import { type EngineHarness, refused, same } from "./engine-harness.ts";

/** The copy of {@link sample} that an action has changed. */
async function changedBy(
  harness: EngineHarness,
  expression: string,
  parameters?: Readonly<Record<string, ApplicationPropertyValue>>,
): Promise<Envelope> {
  const rules = [{ name: "r", filter: { kind: "true" }, action: { kind: "sql", expression, parameters } }] as const;
  const topic = await harness.topic({ s: { rules } });
  await harness.send(topic, sample);
  return (await harness.one(`${topic}/Subscriptions/s`)).envelope;
}

/** The actions of rules. */
export const sqlActionCases: readonly EngineCase[] = [
  {
    name: "sql-action",
    promise:
      "SET and REMOVE change properties of both scopes one after the other, with or without semicolons. (SQL rule action)",
    needs: ["topics"],
    async run(harness) {
      const expression =
        "SET sum = whole + 1; SET Whole = sum * 2 SET sys.Label = 'changed' SET copy = small; REMOVE yes REMOVE missing; SET [new name] = NULL;";
      const rules = [{ name: "r", filter: { kind: "true" }, action: { kind: "sql", expression } }] as const;
      const topic = await harness.topic({ s: { rules } });
      await harness.send(topic, sample);
      const { applicationProperties, brokerProperties } = (await harness.one(`${topic}/Subscriptions/s`)).envelope;
      const { sum, whole, copy, yes } = applicationProperties;
      same([sum, whole, yes, applicationProperties["new name"]], [6n, 12, undefined, null], "Values");
      same([copy, brokerProperties.subject], [typed.ubyte(7), "changed"], "The copied value and the subject");
    },
  },
  {
    name: "sql-action-types",
    promise:
      "SET converts to the type of the existing property if that is possible, and keeps the value's own type otherwise. (SQL rule action)",
    needs: ["topics"],
    async run(harness) {
      const statements: readonly (readonly [
        statement: string,
        property: string,
        expected: ApplicationPropertyValue,
      ])[] = [
        ["SET whole = '7'", "whole", 7],
        ["SET whole = ' -7 '", "whole", -7],
        ["SET whole = 2.0", "whole", 2],
        ["SET whole = 2.5", "whole", typed.double(2.5)],
        ["SET whole = 'seven'", "whole", "seven"],
        ["SET whole = 3000000000", "whole", 3_000_000_000n],
        ["SET whole = TRUE", "whole", 1],
        ["SET big = '12'", "big", 12n],
        ["SET real = '1.5'", "real", typed.double(1.5)],
        ["SET real = 4", "real", typed.double(4)],
        ["SET yes = 'FALSE'", "yes", false],
        ["SET yes = 'no'", "yes", "no"],
        ["SET text = 5", "text", "5"],
        ["SET text = 2.5", "text", "2.5"],
        ["SET text = TRUE", "text", "True"],
        ["SET small = '200'", "small", typed.ubyte(200)],
        ["SET small = '256'", "small", "256"],
        ["SET whole = small", "whole", 7],
        ["SET fresh = p('small')", "fresh", typed.ubyte(7)],
        ["SET empty = '5'", "empty", "5"],
        ["SET whole = NULL", "whole", null],
      ];
      for (const [expression, property, expected] of statements)
        same((await changedBy(harness, expression)).applicationProperties[property], expected, `After "${expression}"`);
    },
  },
  {
    name: "sql-action-system-types",
    promise:
      "SET gives system properties their types: spans of time and times are read from text, and the others are text. (SQL rule action)",
    needs: ["topics"],
    async run(harness) {
      const time = "2126-01-02T03:04:05.000Z";
      const statements: readonly (readonly [statement: string, expected: Partial<BrokerProperties>])[] = [
        ["SET sys.TimeToLive = '00:05:00'", { timeToLive: 300_000 }],
        ["SET sys.TimeToLive = '1.00:00:00.5'", { timeToLive: 86_400_500 }],
        ["SET sys.TimeToLive = 'PT5M'", { timeToLive: 300_000 }],
        ["SET sys.TimeToLive = 7000", { timeToLive: 7000 }],
        ["SET sys.Label = 7", { subject: "7" }],
        ["SET sys.To = 5", { to: "5" }],
        ["SET sys.SessionId = 7", { sessionId: "7" }],
        ["SET sys.MessageId = 2.5", { messageId: "2.5" }],
        ["SET sys.ReplyTo = yes", { replyTo: "True" }],
        [`SET sys.ContentType = '${time}'`, { contentType: time }],
      ];
      for (const [expression, expected] of statements) {
        const { brokerProperties } = await changedBy(harness, expression);
        same({ ...brokerProperties, ...expected }, brokerProperties, `Broker properties after "${expression}"`);
      }
    },
  },
  {
    name: "sql-action-newid",
    promise: "newid() is a Guid in an application property, and its text in one that is text. (SQL rule action)",
    needs: ["topics"],
    async run(harness) {
      const { applicationProperties, brokerProperties } = await changedBy(
        harness,
        "SET id = newid() SET text = newid() SET sys.CorrelationId = newid()",
      );
      const { id, text } = applicationProperties;
      const form = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
      const isUuid = id instanceof Typed && id.type === "uuid" && typeof id.value === "string" && form.test(id.value);
      same(isUuid, true, "Whether it is a uuid");
      same(
        [text, brokerProperties.correlationId].every((value) => form.test(String(value))),
        true,
        "Whether it is text",
      );
    },
  },
  {
    name: "sql-action-parameters",
    promise: "A parameter that is assigned keeps the type with which it was given. (SQL rule action)",
    needs: ["topics"],
    async run(harness) {
      const parameters = { "@five": 5 };
      const { applicationProperties } = await changedBy(harness, "SET fresh = @five", parameters);
      same(applicationProperties["fresh"], 5, "The value");
    },
  },
  {
    name: "sql-action-illegal",
    promise: "An action that cannot be read is refused; one that cannot be carried out dead-letters the copy.",
    needs: ["topics", "deadLetter", "administration"],
    async run(harness) {
      const topic = await harness.topic({ s: {} });
      for (const expression of ["", "SET", "SET a", "SET a = b > 1", "DROP a", "REMOVE", "SET a = 1 b"]) {
        const rule = { filter: { kind: "true" }, action: { kind: "sql", expression } } as const;
        await refused(
          harness.engine.admin.createRule(topic, "s", "r", rule),
          "InvalidArgument",
          `The action "${expression}"`,
        );
      }
      const impossible = [
        "SET sys.TimeToLive = 'soon'",
        "SET sys.TimeToLive = -1",
        "SET sys.ScheduledEnqueueTimeUtc = 5",
      ];
      for (const expression of ["SET sys.Nothing = 1", "SET sys.SequenceNumber = 1", ...impossible]) {
        const rules = [{ name: "r", filter: { kind: "true" }, action: { kind: "sql", expression } }] as const;
        const other = await harness.topic({ s: { rules } });
        await harness.send(other, sample);
        same(
          await harness.drain(`${other}/Subscriptions/s/$DeadLetterQueue`),
          ["m-1"],
          `Dead letters by "${expression}"`,
        );
      }
    },
  },
];
