import type { Envelope } from "../../core/envelope/envelope.ts";
import type { RuleFilter } from "../../core/engine/rules.ts";
import { type EngineCase, engineCases } from "./engine-case.ts";
import { envelope, refused, same } from "./engine-harness.ts";

const only = (
  filter: RuleFilter,
): { readonly rules: readonly [{ readonly name: "r"; readonly filter: RuleFilter }] } => ({
  rules: [{ name: "r", filter }],
});

const sized = (id: string, size: number): Envelope => envelope(id, {}, { applicationProperties: { size } });

/** One message, many subscriptions. */
export const topicCases: readonly EngineCase[] = engineCases(["topics"], {
  "topic-fan-out": {
    promise: "Every subscription gets its own copy, settled on its own. (Service Bus, topics)",
    needs: ["topics", "peekLock"],
    async run(harness) {
      const topic = await harness.topic({ eu: {}, us: {} });
      await harness.send(topic, "a", "b");
      const eu = `${topic}/Subscriptions/eu`;
      await harness.complete(eu, await harness.one(eu));
      same(await harness.drain(eu), ["b"], "Messages of eu");
      same(await harness.drain(`${topic}/subscriptions/US`), ["a", "b"], "Messages of us");
    },
  },
  "topic-no-subscription": {
    promise: "A message that no subscription takes is gone; a subscription gets what is sent from its creation on.",
    async run(harness) {
      const topic = await harness.topic({});
      await harness.send(topic, "before");
      await harness.engine.admin.createSubscription(topic, "s");
      await harness.send(topic, "after");
      same(await harness.drain(`${topic}/Subscriptions/s`), ["after"], "Messages");
    },
  },
  "topic-not-receivable": {
    promise: "A topic cannot be received from, and a subscription not be sent to.",
    async run(harness) {
      const topic = await harness.topic({ s: {} });
      await refused(harness.receiver(topic), "InvalidOperation", "A receiver on the topic");
      await refused(harness.send(`${topic}/Subscriptions/s`, "a"), "InvalidOperation", "A sender to the subscription");
    },
  },
  "topic-default-rule": {
    promise: "A subscription created without rules has one named $Default that accepts everything.",
    needs: ["topics", "administration"],
    async run(harness) {
      const topic = await harness.topic({ s: {} });
      const { admin } = harness.engine;
      same(
        (await admin.listRules(topic, "s")).map(({ name, filter }) => [name, filter.kind]),
        [["$Default", "true"]],
        "Rules",
      );
      await admin.deleteRule(topic, "s", "$default");
      await harness.send(topic, "a");
      same(await harness.drain(`${topic}/Subscriptions/s`), [], "Messages without any rule");
    },
  },
  "topic-boolean-filters": {
    promise: "A true filter accepts everything, a false filter nothing.",
    needs: ["topics", "ruleFilters"],
    async run(harness) {
      const topic = await harness.topic({ all: only({ kind: "true" }), none: only({ kind: "false" }) });
      await harness.send(topic, "a");
      same(await harness.drain(`${topic}/Subscriptions/all`), ["a"], "Messages with a true filter");
      same(await harness.drain(`${topic}/Subscriptions/none`), [], "Messages with a false filter");
    },
  },
  "topic-correlation-all": {
    promise: "A correlation filter wants every property given to be equal, with case. (correlation filters)",
    needs: ["topics", "ruleFilters"],
    async run(harness) {
      const filter = { kind: "correlation", subject: "order", to: "eu", applicationProperties: { size: 5 } } as const;
      const topic = await harness.topic({ s: only(filter) });
      const right = { subject: "order", to: "eu" };
      await harness.send(
        topic,
        envelope("all", right, { applicationProperties: { size: 5, more: true } }),
        envelope("case", { ...right, subject: "Order" }, { applicationProperties: { size: 5 } }),
        envelope("value", right, { applicationProperties: { size: 6 } }),
        envelope("kind", right, { applicationProperties: { size: "5" } }),
        envelope("none", { subject: "order" }, { applicationProperties: { size: 5 } }),
      );
      same(await harness.drain(`${topic}/Subscriptions/s`), ["all"], "Messages");
    },
  },
  "topic-correlation-fields": {
    promise:
      "A correlation filter can want any of its eight broker properties; `to` counts though the broker ignores it.",
    needs: ["topics", "ruleFilters"],
    async run(harness) {
      const fields = [
        "contentType",
        "correlationId",
        "messageId",
        "replyTo",
        "replyToSessionId",
        "sessionId",
        "subject",
        "to",
      ];
      for (const field of fields) {
        const topic = await harness.topic({ s: only({ kind: "correlation", [field]: "wanted" }) });
        await harness.send(topic, envelope("other"), envelope("match", { [field]: "wanted" }));
        same((await harness.drain(`${topic}/Subscriptions/s`)).length, 1, `Messages with the right ${field}`);
      }
      const empty = harness.topic({ s: only({ kind: "correlation" }) });
      await refused(empty, "InvalidArgument", "A correlation filter without properties");
    },
  },
  "topic-one-copy": {
    promise: "Several rules without action that accept a message make one copy. (Service Bus, rules)",
    needs: ["topics", "ruleActions", "ruleFilters"],
    async run(harness) {
      const rules = [
        { name: "a", filter: { kind: "true" } },
        { name: "b", filter: { kind: "sql", expression: "1 = 1" } },
      ] as const;
      const topic = await harness.topic({ s: { rules } });
      await harness.send(topic, "m");
      same(await harness.drain(`${topic}/Subscriptions/s`), ["m"], "Copies");
    },
  },
  "topic-copy-per-action": {
    promise: "Every rule with an action that accepts a message makes its own copy, changed only by that action.",
    needs: ["topics", "ruleActions", "ruleFilters"],
    async run(harness) {
      const rules = [
        { name: "a", filter: { kind: "true" }, action: { kind: "sql", expression: "SET rule = 'a'" } },
        {
          name: "b",
          filter: { kind: "correlation", messageId: "m" },
          action: { kind: "sql", expression: "SET sys.To = 'b'" },
        },
        { name: "c", filter: { kind: "true" } },
      ] as const;
      const topic = await harness.topic({ s: { rules } });
      const sent = envelope("m", {}, { applicationProperties: { kept: true } });
      await harness.send(topic, sent);
      const copies = (await harness.receive(`${topic}/Subscriptions/s`, 9)).map((delivery) => delivery.envelope);
      const seen = copies.map(({ applicationProperties, brokerProperties }) =>
        [applicationProperties["rule"] ?? "-", brokerProperties.to ?? "-"].join(" "),
      );
      same(
        seen.toSorted((left, right) => (left < right ? -1 : 1)),
        ["- -", "- b", "a -"],
        "Properties of the copies",
      );
      same(
        copies.every(({ applicationProperties }) => applicationProperties["kept"] === true),
        true,
        "Kept properties",
      );
      same(
        copies.every(({ payload }) => payload === copies[0]?.payload || payload.join() === sent.payload.join()),
        true,
        "Payload",
      );
    },
  },
  "topic-rule-life": {
    promise: "Rules are added, listed by name and deleted; they count for what is sent afterwards.",
    needs: ["topics", "administration", "ruleFilters"],
    async run(harness) {
      const { admin } = harness.engine;
      const topic = await harness.topic({ s: only({ kind: "sql", expression: "size > 1" }) });
      await admin.createRule(topic, "s", "small", { filter: { kind: "sql", expression: "size = 0" } });
      await refused(
        admin.createRule(topic, "s", "SMALL", { filter: { kind: "true" } }),
        "MessagingEntityAlreadyExists",
        "Twice",
      );
      await harness.send(topic, sized("0", 0), sized("1", 1), sized("2", 2));
      same(await harness.drain(`${topic}/Subscriptions/s`), ["0", "2"], "Messages with both rules");
      same(
        (await admin.listRules(topic, "s")).map(({ name }) => name),
        ["r", "small"],
        "Rules",
      );
      await admin.deleteRule(topic, "s", "small");
      await refused(admin.deleteRule(topic, "s", "small"), "MessagingEntityNotFound", "Deleting twice");
      await harness.send(topic, sized("0", 0), sized("2", 2));
      same(await harness.drain(`${topic}/Subscriptions/s`), ["2"], "Messages with one rule");
    },
  },
});
