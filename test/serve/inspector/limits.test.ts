import { describe, expect, it, vi } from "vitest";
import { json } from "../../../codecs/json/index.ts";
import { text } from "../../../codecs/text/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { SobreError } from "../../../src/core/errors/index.ts";
import { deadLettered, envelope, inspected, order } from "./inspected.support.ts";

const dead = "orders/$DeadLetterQueue";

describe("large and changing brokers", () => {
  it("ends one answer of an export after some megabytes; the next continues after its last line", async () => {
    const { engine, get } = inspected();
    const sender = await engine.openSender("orders");
    const large = new Uint8Array(200_000);
    for (let index = 0; index < 50; index++) await sender.send([envelope({ payload: large })]);

    const first = (await get("api/export?entity=orders")).text.trimEnd().split("\n").length;
    const rest = (await get(`api/export?entity=orders&from=${first + 1}`)).text.trimEnd().split("\n").length;

    expect(first).toBeLessThan(50);
    expect(first + rest).toBe(50);
  });

  it("leaves out an entity that is deleted while it lists them", async () => {
    const { engine, get } = inspected({ queues: ["gone", "orders"] });
    const gone = new SobreError("MessagingEntityNotFound", "There is no such queue.");
    vi.spyOn(engine.admin, "getQueue").mockRejectedValueOnce(gone);

    expect((await get("api/entities")).body).toMatchObject({ entities: [{ path: "orders" }] });
  });
});

describe("redaction", () => {
  it("redacts the columns of a list, too, and repairs nothing where it redacts: another codec has no names", async () => {
    const { engine, get, post } = inspected(undefined, {
      redact: ["card", "sessionId", "messageId"],
      serializer: createSerializer({ codecs: [json(), text()] }),
    });
    await deadLettered(engine, "orders", [
      { ...order(1, { sessionId: "Ana" }), payload: Buffer.from('{"card":"4111"}') },
    ]);
    const repair = { brokerProperties: { contentType: "text/plain" } };

    const list = await get(`api/messages?entity=${dead}`);
    const verdict = await post("api/verdict", { entity: dead, sequence: "1", repair });
    const redrive = await post("api/redrives", { from: dead, repair });

    expect(list.text).not.toMatch(/Ana|order-1/);
    expect(verdict.text).not.toContain("4111");
    expect([verdict.status, redrive.status]).toEqual([400, 400]);
  });
});
