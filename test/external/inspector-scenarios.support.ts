import { expect } from "vitest";
import { json } from "../../codecs/json/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { createClient } from "../../src/client/create-client.ts";
import type { Engine } from "../../src/core/engine/index.ts";
import { broken, deadLettered, envelope as made, failsOnce, order } from "../serve/inspector/inspected.support.ts";
import { late, type Page, type Stage } from "./browser.support.ts";

/** A feature as a person uses it; its number is its rank among those that people ask for. */
export interface Scenario {
  readonly name: string;
  readonly run: (stage: Stage) => Promise<void>;
}

export const dead = "orders/$DeadLetterQueue";
export const deadPlace = "#/e/orders/dead";
export const deadMessage = (sequence: number): string => `#/m/${encodeURIComponent(dead)}/${sequence}`;

const unreadable = (id: string): ReturnType<typeof broken> & { readonly reason: string } => ({
  ...broken(id),
  reason: "Unreadable",
});

export const idsIn = async (engine: Engine, entity: string): Promise<readonly unknown[]> =>
  (await engine.peek(entity, { maxMessages: 50 })).map(({ envelope }) => envelope.brokerProperties.messageId);

/** Does a dry run of the opened panel, then sends what it found. */
async function sends(page: Page, count: string): Promise<void> {
  await page.getByRole("button", { name: /^Dry run/ }).click();
  await page.getByRole("button", { name: new RegExp(`^Send ${count} to .* and remove`) }).click();
  await page.getByRole("heading", { name: "Re-drive" }).waitFor();
}

const state = (page: Page, name: string): Promise<void> => page.locator(`.badge:text-is("${name}")`).first().waitFor();

/** The ten most important features, on every engine. */
export const scenarios: readonly Scenario[] = [
  {
    name: "1. reasons and codec errors are counted, and one that is chosen narrows the list",
    async run({ engine, page, open }) {
      await deadLettered(engine, "orders", [late(1), unreadable("b1"), late(2)]);

      await open(deadPlace);
      await page.getByRole("button", { name: "json: DecodeFailed 1" }).waitFor();
      await page.getByRole("button", { name: "TooLate 2" }).click();
      await page.getByText("2 messages, 3 looked at").waitFor();
      await page.reload();
      await page.getByText("2 messages, 3 looked at").waitFor();

      expect(page.url()).toContain("?reason=TooLate");
      expect(await page.getByRole("option").count()).toBe(2);
    },
  },
  {
    name: "2. the body is shown as the chain reads it, with every attempt",
    async run({ engine, page, open }) {
      await deadLettered(engine, "orders", [late(1), unreadable("b1")]);
      const serializer = createSerializer({ codecs: [json(), msgpack()], fallback: ["msgpack"] });

      await open(deadPlace, { serializer });
      await page.getByRole("option").nth(0).click();
      await page.getByText('"id": 1').first().waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("option").nth(1).click();
      await page.getByText("Nothing could read it.").waitFor();

      const attempts = await page.locator(".attempts").first().innerText();
      expect(attempts).toContain("json DecodeFailed at byte 1");
      expect(attempts).toContain("msgpack");
    },
  },
  {
    name: "3. looking locks, counts and moves nothing",
    async run({ engine, page, open }) {
      await deadLettered(engine, "orders", [late(1), late(2)]);
      const sender = await engine.openSender("orders");
      await sender.send([made(order(3))]);
      const before = await facts(engine);

      await open("#/");
      await page.getByRole("link", { name: "orders", exact: true }).click();
      await page.getByRole("option").nth(1).click();
      await page.getByRole("heading", { name: "AMQP, section by section" }).waitFor();
      await page.getByLabel("Content type").fill("text/plain");
      await page.getByRole("heading", { name: /The chain would say/ }).waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Re-drive all…" }).click();
      await page.getByRole("button", { name: /^Dry run/ }).click();
      await page.getByText("2 messages of 2 would be sent.").waitFor();
      await page.getByRole("link", { name: "Messages" }).click();
      await page.getByText("1 message, 1 looked at").waitFor();

      expect(await facts(engine)).toEqual(before);
      const receiver = await engine.openReceiver(dead, { receiveMode: "peekLock" });
      const received = await receiver.receive({ maxMessages: 2, maxWaitTimeInMs: 5000 });
      expect(received.map(({ deliveryCount }) => deliveryCount)).toEqual(received.map(() => before.counts[0]));
    },
  },
  {
    name: "4. a search finds text in bodies, properties and reasons",
    async run({ engine, page, open }) {
      const tagged = { ...order(2), applicationProperties: { tenant: "Contoso" } };
      await deadLettered(engine, "orders", [late(1), tagged, { ...order("needle-7"), reason: "Refused" }]);

      await open(deadPlace);
      for (const [text, id] of [
        ["needle-7", "order-needle-7"],
        ["contoso", "order-2"],
        ["toolate", "order-1"],
      ] as const) {
        await page.getByLabel("Search in bodies, properties and reasons").fill(text);
        await page.locator(`.row:only-child:has-text("${id}")`).waitFor();
      }
    },
  },
  {
    name: "5. a selection, all of a filter, or all are sent back, each after a dry run that sends nothing",
    async run({ engine, page, open }) {
      await deadLettered(engine, "orders", [late(1), { ...order(2), reason: "Refused" }, late(3), order(4)]);

      const at = await open(deadPlace);
      await page.locator(".tick").nth(0).click();
      await page.getByRole("button", { name: "Re-drive 1 selected dead letter…" }).click();
      await page.getByRole("button", { name: /^Dry run/ }).click();
      await page.getByText("1 message of 4 would be sent.").waitFor();
      expect(await idsIn(engine, "orders")).toEqual([]);
      await page.getByRole("button", { name: /^Send 1 message to/ }).click();
      await state(page, "done");
      const isInProcess = engine.server === undefined;
      await page.getByText(isInProcess ? /sent and removed in one transaction/ : /sent, then removed/).waitFor();
      await page.goto(`${at}${deadPlace}?reason=Refused`);
      await page.getByRole("button", { name: "Re-drive all that match…" }).click();
      await sends(page, "1 message");
      await state(page, "done");
      await page.goto(`${at}${deadPlace}`);
      await page.getByRole("button", { name: "Re-drive all…" }).click();
      await sends(page, "2 messages");
      await state(page, "done");

      expect(await idsIn(engine, "orders")).toEqual(["order-1", "order-2", "order-3", "order-4"]);
      expect(await idsIn(engine, dead)).toEqual([]);
    },
  },
  {
    name: "6. a body and properties are repaired, with the difference and the chain's word before it is sent",
    async run({ engine, page, open }) {
      await deadLettered(engine, "orders", [{ ...unreadable("b1"), applicationProperties: { tenant: "old" } }]);

      await open(deadMessage(await firstDead(engine)));
      await page.getByLabel("Payload, as text in UTF-8").fill('{"id":4}');
      await page.locator(".repair textarea").last().fill('{"tenant":"new"}');
      await page.getByRole("heading", { name: "The chain would say: read by json" }).waitFor();
      const difference = await page.locator(".diff").innerText();
      await page.getByRole("button", { name: "Send the repaired message back…" }).click();
      await sends(page, "1 message");
      await state(page, "done");

      expect(difference).toContain("- {oops");
      expect(difference).toContain('+ {"id":4}');
      const [sent] = await engine.peek("orders", { maxMessages: 1 });
      expect(Buffer.from(sent?.envelope.payload ?? []).toString()).toBe('{"id":4}');
      expect(sent?.envelope.applicationProperties).toMatchObject({ tenant: "new" });
    },
  },
  {
    name: "7. batches grow, at a rate, and stop when messages come back",
    async run({ engine, page, open }) {
      await deadLettered(engine, "orders", [unreadable("b1"), unreadable("b2"), unreadable("b3")]);
      const serializer = createSerializer({ codecs: [json()] });
      const client = createClient({ engine: await engine.connect(), closeEngine: true, serializer });
      const processor = client.startProcessor("orders", {
        processMessage: () => undefined,
        processError: () => undefined,
      });

      await open(deadPlace);
      await page.getByRole("button", { name: "Re-drive all…" }).click();
      await page.getByLabel("Messages per second").fill("50");
      await page.getByLabel("Batches").selectOption("grow");
      await sends(page, "3 messages");
      await state(page, "stopped");
      await page.getByText("1 of the messages sent has come back as dead letters.").waitFor();
      await processor.close();
      await client.close();

      expect(await idsIn(engine, dead)).toEqual(["b2", "b3", "b1"]);
    },
  },
  {
    name: "8. each outcome is shown; a re-drive that failed goes on, and sends none twice",
    async run({ engine, page, open }) {
      await deadLettered(engine, "orders", [late(1), late(2), late(3)]);
      failsOnce(engine, "order-2");

      await open(deadPlace);
      await page.getByRole("button", { name: "Re-drive all…" }).click();
      await sends(page, "3 messages");
      await state(page, "stopped");
      await page.getByRole("row", { name: /order-2 failed: The queue is full\./ }).waitFor();
      expect(await idsIn(engine, "orders")).toEqual(["order-1"]);
      await page.getByRole("button", { name: "Go on with those that are left" }).click();
      await state(page, "done");

      expect(await page.getByRole("row", { name: /sent$/ }).count()).toBe(3);
      expect(await idsIn(engine, "orders")).toEqual(["order-1", "order-2", "order-3"]);
      expect(await idsIn(engine, dead)).toEqual([]);
    },
  },
  {
    name: "9. what is sent back has lost the marks of a dead letter, and nothing else",
    async run({ engine, page, open }) {
      await deadLettered(engine, "orders", [{ ...late(1), applicationProperties: { tenant: "a" } }]);

      await open(deadPlace);
      await page.getByRole("button", { name: "Re-drive all…" }).click();
      await sends(page, "1 message");
      await state(page, "done");

      const [sent] = await engine.peek("orders", { maxMessages: 1 });
      expect(sent?.deadLetterReason).toBeUndefined();
      expect(sent?.envelope.applicationProperties).toMatchObject({ tenant: "a" });
      expect(Object.keys(sent?.envelope.applicationProperties ?? {})).not.toContain("DeadLetterReason");
      expect(Buffer.from(sent?.envelope.payload ?? []).toString()).toBe('{"id":1}');
    },
  },
  {
    name: "10. bytes stand next to the body, and AMQP is shown section by section",
    async run({ engine, page, open }) {
      await deadLettered(engine, "orders", [late(7)]);

      await open(deadMessage(await firstDead(engine)));
      await page.getByRole("heading", { name: "AMQP, section by section" }).waitFor();

      expect(await page.locator(".hex").innerText()).toContain(
        '7b 22 69 64 22 3a 37 7d                          {"id":7}',
      );
      expect(await page.getByLabel("Section properties").innerText()).toMatch(
        /content-type\s+symbol\s+"application\/json"/,
      );
    },
  },
];

async function facts(engine: Engine): Promise<{ readonly counts: readonly number[]; readonly all: unknown }> {
  const all = [...(await engine.peek(dead, { maxMessages: 9 })), ...(await engine.peek("orders", { maxMessages: 9 }))];
  return {
    counts: all.map(({ deliveryCount }) => deliveryCount),
    all: all.map(({ sequenceNumber, deliveryCount, state: own }) => [sequenceNumber, deliveryCount, own]),
  };
}

/** The sequence number of the first dead letter. */
async function firstDead(engine: Engine): Promise<number> {
  const [first] = await engine.peek(dead, { maxMessages: 1 });
  return Number(first?.sequenceNumber ?? 0);
}
