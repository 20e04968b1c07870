import type { RuleInit } from "../../core/engine/rules.ts";
import { type EngineCase, engineCases } from "./engine-case.ts";
import { call, type EngineHarness, envelope, refused, same } from "./engine-harness.ts";

/** Creates a rule as a caller without types can. */
const create = (harness: EngineHarness, topic: string, rule: object): Promise<unknown> =>
  call(harness.engine.admin, "createRule", topic, "s", "r", rule);

/** A topic with a subscription that has only this rule. */
const topicWith = (harness: EngineHarness, rule: RuleInit): Promise<string> =>
  harness.topic({ s: { rules: [{ name: "r", ...rule }] } });

/** Rules are checked when they are created, whatever engine keeps them. */
export const ruleCases: readonly EngineCase[] = engineCases(["topics", "administration"], {
  "rule-unknown-kind": {
    promise: "A filter or an action of an unknown kind is refused when the rule is created, and accepts nothing.",
    needs: ["topics", "administration", "ruleActions", "ruleFilters"],
    async run(harness) {
      const topic = await harness.topic({ s: { rules: [] } });
      for (const filter of [
        { kind: "sqll", expression: "1 = 1" },
        { kind: 1 },
        { kind: null },
        null,
        "1 = 1",
        undefined,
      ])
        await refused(create(harness, topic, { filter }), "InvalidArgument", `The filter ${JSON.stringify(filter)}`);
      for (const action of [{ kind: "set" }, "SET a = 1", null])
        await refused(
          create(harness, topic, { filter: { kind: "true" }, action }),
          "InvalidArgument",
          `The action ${JSON.stringify(action)}`,
        );
      await harness.send(topic, "a");
      same(await harness.drain(`${topic}/Subscriptions/s`), [], "Messages");
    },
  },
  "rule-unknown-member": {
    promise: "A misspelt member of a rule, its filter or its action is refused by its name.",
    needs: ["topics", "administration", "ruleActions", "ruleFilters"],
    async run(harness) {
      const topic = await harness.topic({ s: {} });
      const filter = { kind: "true" };
      const misspelt: readonly (readonly [object, string])[] = [
        [{ filtr: filter }, "filtr"],
        [{ filter, acton: {} }, "acton"],
        [{ filter: { kind: "sql", expresion: "1 = 1" } }, "expresion"],
        [{ filter: { kind: "correlation", subjekt: "a" } }, "subjekt"],
        [{ filter: { subjekt: "a" } }, "subjekt"],
        [{ filter: { sqlExpression: "1 = 1", parameters: {} } }, "parameters"],
        [{ filter: { kind: "true", expression: "1 = 1" } }, "expression"],
        [{ filter, action: { kind: "sql", expression: "SET a = 1", filter } }, "filter"],
      ];
      for (const [rule, member] of misspelt) {
        const error = await refused(create(harness, topic, rule), "InvalidArgument", `A rule with ${member}`);
        same(error.message.includes(member), true, `Whether the text names ${member}`);
      }
    },
  },
  "rule-empty-filter": {
    promise: "An empty filter, a correlation filter without properties and values of the wrong kind are refused.",
    needs: ["topics", "administration", "ruleFilters"],
    async run(harness) {
      const topic = await harness.topic({ s: {} });
      const filters = [
        {},
        { kind: "correlation" },
        { kind: "correlation", applicationProperties: {} },
        { kind: "correlation", subject: 5 },
        { kind: "correlation", applicationProperties: { size: [1] } },
        { kind: "sql" },
        { kind: "sql", expression: 5 },
        { kind: "sql", expression: "a = @b", parameters: { b: { c: 1 } } },
        { sqlExpression: "" },
      ];
      for (const filter of filters)
        await refused(create(harness, topic, { filter }), "InvalidArgument", `The filter ${JSON.stringify(filter)}`);
      same((await harness.engine.admin.listRules(topic, "s")).length, 1, "Rules afterwards");
    },
  },
  "rule-of-official-client": {
    promise: "Filters and actions as @azure/service-bus writes them are understood.",
    needs: ["topics", "administration", "peek", "ruleActions", "ruleFilters"],
    async run(harness) {
      const sql = await topicWith(harness, {
        filter: { sqlExpression: "size > @least", sqlParameters: { "@least": 1 } },
        action: { sqlExpression: "SET seen = TRUE" },
      });
      const correlation = await topicWith(harness, {
        filter: { subject: "order", applicationProperties: { size: 5 } },
      });
      for (const topic of [sql, correlation]) {
        await harness.send(
          topic,
          envelope("right", { subject: "order" }, { applicationProperties: { size: 5 } }),
          envelope("wrong", { subject: "order" }, { applicationProperties: { size: 0 } }),
        );
        same(await harness.browse(`${topic}/Subscriptions/s`), ["right"], "Messages");
      }
      const [copy] = await harness.receive(`${sql}/Subscriptions/s`);
      same(copy?.envelope.applicationProperties["seen"], true, "The property that the action set");
      const [rule] = await harness.engine.admin.listRules(correlation, "s");
      same(rule?.filter.kind, "correlation", "Kind of the listed filter");
    },
  },
  "rule-at-creation": {
    promise: "A subscription whose rules are wrong is not created.",
    needs: ["topics", "administration", "ruleFilters"],
    async run(harness) {
      const { admin } = harness.engine;
      const topic = await harness.topic({});
      const wrong: readonly unknown[] = [
        [{ name: "r", filter: { kind: "sqll" } }],
        [{ name: "", filter: { kind: "true" } }],
        [{ filter: { kind: "true" } }],
        [null],
        "rules",
      ];
      for (const rules of wrong) {
        const creation = call(admin, "createSubscription", topic, "s", { rules });
        await refused(creation, "InvalidArgument", `The rules ${JSON.stringify(rules)}`);
      }
      same(await admin.subscriptionExists(topic, "s"), false, "Whether the subscription exists");
    },
  },
});
