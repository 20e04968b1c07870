import { describe, expect, it } from "vitest";
import { withoutDeadLetterMarks } from "../../../src/client/client/index.ts";
import { createEnvelope } from "../../../src/core/envelope/index.ts";
import { clientAgain, failing, inMemory, left, minute, queues } from "./message-retries.support.ts";

describe("the timer of a delayed retry", () => {
  it("is a dead letter like any other in the dead-letter queue, and wakes its message when it is re-driven", async () => {
    const place = await inMemory(queues);
    const { clock } = place;
    const first = await failing(place, "dedup", { retries: { delayed: ["1m"] } }, Infinity);
    await first.until(1);
    await left(place, "dedup", 2);
    await place.client.close();
    const client = clientAgain(place);
    const receiver = client.createReceiver("dedup");
    await clock.advance(2 * minute);
    for (const timer of await receiver.receiveMessages(1, { maxWaitTimeInMs: 0 }))
      await receiver.deadLetterMessage(timer);
    const dead: unknown[] = [];
    const note = ({ applicationProperties }: { readonly applicationProperties: object }): void =>
      void dead.push(applicationProperties);
    const processor = client.startProcessor(
      "dedup/$DeadLetterQueue",
      { processMessage: note, processUnreadable: note, processError: () => undefined },
      { autoCompleteMessages: false },
    );
    await clock.advance(0);
    await processor.close();
    await clock.advance(2 * minute);
    await client.redrive("dedup/$DeadLetterQueue", { messageIds: "renew" });
    const again = await failing({ ...place, client }, "dedup", {}, 0, { sends: false });
    await again.until(1);

    expect(dead).toMatchObject([{ "sobre-retry-timer": expect.any(String) }]);
    expect(again.seen).toMatchObject([{ messageId: "order-7", delayed: 1 }]);
  });

  it("is forgotten when its message is re-driven, which is not deferred any more", () => {
    const applicationProperties = { "sobre-retry-timer": "a timer", "sobre-delayed-retries": 2, customer: 7 };
    const envelope = createEnvelope({ payload: new Uint8Array(), applicationProperties });

    expect(withoutDeadLetterMarks(envelope).applicationProperties).toEqual({ customer: 7 });
  });
});
