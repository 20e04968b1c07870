import { typed } from "../../core/values/typed-makers.ts";
import type { Envelope } from "../../core/envelope/envelope.ts";
import type { EngineCase } from "./engine-case.ts";
import { envelope, refused, same } from "./engine-harness.ts";

interface SqlCase {
  readonly name: string;
  readonly promise: string;
  /** Conditions that let {@link sample} through. */
  readonly holds?: readonly string[];
  /** Conditions that are false or unknown for it. */
  readonly fails?: readonly string[];
  /** Expressions that cannot be read. */
  readonly illegal?: readonly string[];
}

/** The message that the expressions are about. */
export const sample: Envelope = envelope(
  "m-1",
  { subject: "order.created", to: "eu", correlationId: "c", sessionId: "s", timeToLive: 60_000, contentType: "text/x" },
  {
    applicationProperties: {
      whole: 5,
      big: 2n ** 60n,
      real: 2.5,
      text: "It's 100%",
      yes: true,
      empty: null,
      small: typed.ubyte(7),
      "odd name]": "odd",
      größe: 3,
      grÖsse2: 4,
      名前: "a",
    },
  },
);

const filters: readonly SqlCase[] = [
  {
    name: "sql-comparison",
    promise: "= <> != > >= < <= compare numbers of every width, text and truth values.",
    holds: [
      "whole = 5",
      "whole <> 6",
      "whole != 6",
      "whole > 4.5",
      "real >= 2.5",
      "real < 3",
      "small <= 7",
      "yes = TRUE",
    ],
    fails: [
      "whole = 6",
      "whole <> 5",
      "real > 2.5",
      "text = 'it''s 100%'",
      "yes = FALSE",
      "whole = 'five'",
      "whole <> '5'",
    ],
  },
  {
    name: "sql-constants",
    promise: "Constants are 64-bit integers, decimals, scientific numbers, quoted text, TRUE, FALSE and NULL.",
    holds: ["big = 1152921504606846976", "real = 25e-1", "real = 2.50", "text = 'It''s 100%'", "TRUE"],
    fails: ["big = 1152921504606846977", "FALSE", "NULL", "whole = NULL", "whole <> NULL"],
    illegal: ["whole = 9223372036854775808", "whole = 'open", "whole = 5x", "whole = #5"],
  },
  {
    name: "sql-three-values",
    promise: "A missing property is unknown; NOT, AND and OR follow three-valued logic, and unknown accepts nothing.",
    holds: ["missing = 1 OR whole = 5", "NOT (missing = 1 AND whole = 6)", "whole = 5 OR missing > 2"],
    fails: [
      "missing = 1",
      "NOT missing = 1",
      "missing <> 1",
      "missing = 1 AND whole = 5",
      "missing = missing",
      "empty = empty",
    ],
  },
  {
    name: "sql-null",
    promise: "IS NULL holds for missing properties and for NULL, IS NOT NULL for all others.",
    holds: ["missing IS NULL", "empty IS NULL", "whole IS NOT NULL", "sys.ReplyTo IS NULL"],
    fails: ["whole IS NULL", "missing IS NOT NULL"],
  },
  {
    name: "sql-in",
    promise: "[NOT] IN compares with each of a list, in three-valued logic.",
    holds: ["whole IN (1, 5, 9)", "text NOT IN ('a', 'b')", "whole IN (missing, 5)"],
    fails: ["whole IN (1, 2)", "whole NOT IN (5)", "missing IN (1)", "missing NOT IN (1)", "whole NOT IN (missing, 1)"],
    illegal: ["whole IN ()", "whole IN 5", "whole IN (5"],
  },
  {
    name: "sql-like",
    promise: "[NOT] LIKE knows %, _ and ESCAPE.",
    holds: [
      "sys.Subject LIKE 'order.%'",
      "sys.Subject LIKE '%.created'",
      "sys.Subject LIKE 'o_d__.%'",
      "sys.Subject LIKE '%e%e%'",
      "text LIKE '%100!%' ESCAPE '!'",
      "sys.Subject NOT LIKE 'invoice%'",
      "sys.Subject LIKE sys.Subject",
    ],
    fails: [
      "sys.Subject LIKE 'order'",
      "sys.Subject LIKE '_order%'",
      "text LIKE '%99!%' ESCAPE '!'",
      "missing LIKE '%'",
      "missing NOT LIKE 'a'",
      "whole LIKE '5'",
    ],
    illegal: ["text LIKE", "text NOT '5'"],
  },
  {
    name: "sql-exists",
    promise: "EXISTS asks whether a property is there, NULL included.",
    holds: ["EXISTS(whole)", "EXISTS(user.empty)", "NOT EXISTS(missing)", "EXISTS(sys.To)", "NOT EXISTS(sys.ReplyTo)"],
    fails: ["EXISTS(missing)", "NOT EXISTS(whole)"],
    illegal: ["EXISTS whole", "EXISTS(1)"],
  },
  {
    name: "sql-arithmetic",
    promise: "+ - * / % and signs calculate with the usual precedence; integers divide to integers.",
    holds: [
      "whole + 2 * 3 = 11",
      "(whole + 2) * 3 = 21",
      "whole / 2 = 2",
      "whole % 3 = 2",
      "real * 2 = 5",
      "-whole = -5",
      "+whole = 5",
      "whole - -1 = 6",
      "whole - 2 - 1 = 2",
    ],
    fails: ["whole + missing = 5", "whole / 2 = 2.5"],
    illegal: ["whole +", "* whole = 1"],
  },
  {
    name: "sql-precedence",
    promise: "NOT binds before AND, AND before OR; parentheses decide.",
    holds: ["whole = 5 OR whole = 6 AND whole = 7", "NOT whole = 6 AND yes = TRUE", "NOT (whole = 6 OR whole = 7)"],
    fails: ["(whole = 5 OR whole = 6) AND whole = 7", "NOT whole = 5 OR whole = 6"],
    illegal: ["(whole = 5", "whole = 5)", "whole = 5 AND", "OR whole = 5", "whole = 5 whole = 5", ""],
  },
  {
    name: "sql-names",
    promise: "Names have a scope, user by default, may be delimited, and are compared without case.",
    holds: [
      "WHOLE = 5",
      "user.Whole = 5",
      "[whole] = 5",
      '"whole" = 5',
      "[odd name]]] = 'odd'",
      "SYS.TO = 'eu'",
      "sys.label = 'order.created'",
    ],
    fails: ["[sys] = 'eu'"],
    illegal: ["and = 5", "[] = 5", "sys. = 5", "other.whole = 5"],
  },
  {
    name: "sql-unicode-names",
    promise: "A regular identifier is a letter of any script, then letters, digits and underscores.",
    holds: ["größe = 3", "user.GRÖSSE2 = 4", "名前 = 'a'", "EXISTS(größe)", "property('größe') = 3", "ünï IS NULL"],
    fails: ["größe > 5", "li\u212ae = 1"],
    illegal: ["größe-x = 3 4", "5größe = 3", "٣ = 3", "größe LI\u212aE 'a'"],
  },
  {
    name: "sql-system-properties",
    promise: "sys. reaches the broker properties.",
    holds: [
      "sys.MessageId = 'm-1'",
      "sys.CorrelationId = 'c'",
      "sys.SessionId = 's'",
      "sys.ContentType = 'text/x'",
      "sys.TimeToLive = 60000",
    ],
    fails: ["sys.ReplyTo = 'x'", "sys.ReplyToSessionId = 'x'", "sys.EnqueuedTimeUtc = 'x'"],
  },
  {
    name: "sql-functions",
    promise:
      "newid() makes a Guid, which compares as text, property() and p() read a property whose name is calculated.",
    holds: ["newid() <> newid()", "property('whole') = 5", "p('sys.To') = 'eu'", "property('wh' + 'ole') = 5"],
    fails: ["p('missing') = 1"],
    illegal: ["newid(1) = 1", "other() = 1"],
  },
  {
    name: "sql-kinds",
    promise: "Conditions and values are not mixed up, and an expression has at most 1,024 characters.",
    holds: ["yes", "NOT yes = FALSE"],
    fails: ["text"],
    illegal: ["5", "whole + 1", "(whole = 5) = TRUE", "(whole = 5) + 1 = 2", `text = '${"x".repeat(1024)}'`],
  },
];

/** The conditions of rules. */
export const sqlCases: readonly EngineCase[] = [
  ...filters.map(({ name, promise, holds = [], fails = [], illegal = [] }): EngineCase => ({
    name,
    promise: `${promise} (Service Bus, SQL filter syntax)`,
    needs: ["topics", "administration"],
    async run(harness) {
      const { admin } = harness.engine;
      for (const expression of [...holds, ...fails]) {
        const topic = await harness.topic({ s: { rules: [{ name: "r", filter: { kind: "sql", expression } }] } });
        await harness.send(topic, sample);
        const expected = holds.includes(expression) ? ["m-1"] : [];
        same(await harness.drain(`${topic}/Subscriptions/s`), expected, `What "${expression}" lets through`);
        same(await harness.drain(`${topic}/Subscriptions/s/$DeadLetterQueue`), [], `Errors of "${expression}"`);
      }
      const topic = await harness.topic({ s: {} });
      for (const expression of illegal) {
        const creation = admin.createRule(topic, "s", "r", { filter: { kind: "sql", expression } });
        await refused(creation, "InvalidArgument", `The expression "${expression.slice(0, 40)}"`);
      }
    },
  })),
  {
    name: "sql-parameters",
    promise: "@name stands for a value given with the filter. (Service Bus, SQL filter parameters)",
    needs: ["topics"],
    async run(harness) {
      const filter = {
        kind: "sql",
        expression: "whole = @Wanted AND sys.To = @to",
        parameters: { "@wanted": 5, to: "eu" },
      } as const;
      const topic = await harness.topic({ s: { rules: [{ name: "r", filter }] } });
      await harness.send(topic, sample);
      same(await harness.drain(`${topic}/Subscriptions/s`), ["m-1"], "Messages");
      const without = harness.engine.admin.createRule(topic, "s", "x", {
        filter: { kind: "sql", expression: "a = @b" },
      });
      await refused(without, "InvalidArgument", "A parameter without value");
    },
  },
  {
    name: "sql-evaluation-error",
    promise:
      "An unknown system property, a division by zero and arithmetic with text are errors of evaluation, not of the rule.",
    needs: ["topics", "deadLetter"],
    async run(harness) {
      for (const expression of ["sys.Unknown = 1", "whole / 0 = 1", "whole % 0 = 1", "text * 2 = 1", "-text = 1"]) {
        const topic = await harness.topic({ s: { rules: [{ name: "r", filter: { kind: "sql", expression } }] } });
        await harness.send(topic, sample);
        same(
          await harness.drain(`${topic}/Subscriptions/s/$DeadLetterQueue`),
          ["m-1"],
          `Dead letters by "${expression}"`,
        );
      }
    },
  },
];
