import { describe, expect, it } from "vitest";
import { amqp } from "../../../codecs/amqp/codec.ts";
import { json } from "../../../codecs/json/index.ts";
import { createSerializer } from "../../../src/core/codec/index.ts";
import { amend, createEnvelope, type Envelope } from "../../../src/core/envelope/index.ts";
import {
  claimCheck,
  compression,
  encryption,
  type EncryptionOptions,
  type PayloadStore,
} from "../../../src/client/stages/index.ts";
import type { UnreadableMessage } from "../../../src/client/client/index.ts";
import { refusal, rejection } from "../../refusal.support.ts";
import { noting, one, setup } from "../client/setup.support.ts";

const key = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);
const keys = { old: key(1), new: key(2) };
const stage = encryption({ keys, keyId: "new" });
const text = new TextEncoder();

const plain = (body = '{"card":"4929"}'): Envelope =>
  createEnvelope({
    payload: text.encode(body),
    brokerProperties: { contentType: "application/json", messageId: "m-1", sessionId: "s" },
    applicationProperties: { "sobre-type": "acme.order", "sobre-version": 1 },
  });

async function seal(envelope: Envelope, options: Partial<EncryptionOptions> = {}): Promise<Envelope> {
  return (await encryption({ keys, keyId: "new", ...options }).beforeSend?.(envelope)) ?? envelope;
}

async function unseal(envelope: Envelope, options: Partial<EncryptionOptions> = {}): Promise<Envelope> {
  return (await encryption({ keys, ...options }).afterReceive?.(envelope)) ?? envelope;
}

describe("encryption", () => {
  it.each(["", "x", '{"card":"4929"}', "é".repeat(10_000)])("brings back what it took", async (body) => {
    const sealed = await seal(plain(body));

    expect(await unseal(sealed)).toEqual(plain(body));
    expect(sealed.payload.byteLength).toBe(plain(body).payload.byteLength + 28);
    expect(sealed.brokerProperties.contentEncoding).toBe("aes-256-gcm");
    expect(sealed.applicationProperties["sobre-key-id"]).toBe("new");
  });

  it("never writes the same bytes twice", async () => {
    const [a, b] = [await seal(plain()), await seal(plain())];

    expect(a.payload).not.toEqual(b.payload);
  });

  it.each(["gzip,br", " gzip", "GZIP , br", "gzip,", "", "identity"])(
    "opens what was encoded before, however its list of encodings is written: %j",
    async (contentEncoding) => {
      const encoded = createEnvelope({ payload: text.encode("..."), brokerProperties: { contentEncoding } });

      const opened = await unseal(await seal(encoded));

      expect(opened.payload).toEqual(encoded.payload);
      expect(opened.brokerProperties.contentEncoding ?? "").toBe(contentEncoding);
    },
  );

  it("refuses to bind a message to an id that it does not have, since a broker adds one", async () => {
    const nameless = createEnvelope({ payload: text.encode("x"), brokerProperties: { subject: "s" } });

    const error = await rejection(seal(nameless, { bind: ["messageId"] }));

    expect(error).toMatchObject({ code: "InvalidArgument", path: "$.bind" });
    expect((await seal(nameless, { bind: ["sessionId"] })).brokerProperties.contentEncoding).toBe("aes-256-gcm");
  });

  it("runs after compression, and returns AMQP values as AMQP values", async () => {
    const compressed = createEnvelope({
      payload: text.encode("..."),
      brokerProperties: { contentEncoding: "gzip" },
    });
    const value = createEnvelope({ payload: new Uint8Array([0x41]), bodyKind: "value" });

    const sealed = await seal(compressed);

    expect(sealed.brokerProperties.contentEncoding).toBe("gzip, aes-256-gcm");
    expect(await unseal(sealed)).toEqual(compressed);
    expect((await seal(value)).bodyKind).toBe("data");
    expect(await unseal(await seal(value))).toEqual(value);
  });

  it("takes keys from a function, and older ones still", async () => {
    const asked: string[] = [];
    const fetchKey = async (id: string): Promise<Uint8Array | undefined> => {
      asked.push(id);
      return id === "old" ? keys.old : undefined;
    };

    expect(await unseal(await seal(plain(), { keyId: "old" }), { keys: fetchKey })).toEqual(plain());
    expect(asked).toEqual(["old"]);
  });

  it("refuses every changed byte, and every cut", async () => {
    const sealed = await seal(plain());
    const { payload } = sealed;

    for (let at = 0; at < payload.byteLength; at++) {
      const changed = payload.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect((await rejection(unseal(amend(sealed, { payload: changed })))).code).toBe("DecryptionFailed");
      expect((await rejection(unseal(amend(sealed, { payload: payload.subarray(0, at) })))).code).toBe(
        "DecryptionFailed",
      );
    }
  });

  it.each<readonly [string, (sealed: Envelope) => Envelope]>([
    ["content type", (sealed) => amend(sealed, { brokerProperties: { contentType: "text/plain" } })],
    ["content encoding", (sealed) => amend(sealed, { brokerProperties: { contentEncoding: "gzip, aes-256-gcm" } })],
    ["message type", (sealed) => amend(sealed, { applicationProperties: { "sobre-type": "acme.refund" } })],
    ["version", (sealed) => amend(sealed, { applicationProperties: { "sobre-version": 2 } })],
    ["body kind", (sealed) => amend(sealed, { applicationProperties: { "sobre-body-kind": "value" } })],
    ["key id", (sealed) => amend(sealed, { applicationProperties: { "sobre-key-id": "old" } })],
    ["bound property", (sealed) => amend(sealed, { brokerProperties: { messageId: "m-2" } })],
  ])("refuses a changed %s", async (_what, change) => {
    const bind = ["messageId"] as const;
    const sealed = await seal(plain(), { bind });

    expect(await unseal(sealed, { bind })).toEqual(plain());
    expect((await rejection(unseal(change(sealed), { bind }))).code).toBe("DecryptionFailed");
  });

  it("refuses plain payloads unless they are allowed, even those whose mark was removed", async () => {
    const downgraded = amend(await seal(plain()), { brokerProperties: { contentEncoding: undefined } });

    expect((await rejection(unseal(plain()))).code).toBe("PlaintextRefused");
    expect((await rejection(unseal(downgraded))).code).toBe("PlaintextRefused");
    expect(await unseal(plain(), { required: false })).toEqual(plain());
  });

  it.each(["lost", "__proto__", "constructor", undefined])("knows no key %j", async (id) => {
    const sealed = amend(await seal(plain()), { applicationProperties: { "sobre-key-id": id } });

    expect((await rejection(unseal(sealed))).code).toBe("UnknownKey");
  });

  it("lets what is sent plain where no key is named", async () => {
    expect(await encryption({ keys }).beforeSend?.(plain())).toEqual(plain());
  });

  it.each<readonly [string, object]>([
    ["keys", { keys: undefined }],
    ['keys["a"]', { keys: { a: new Uint8Array(16) } }],
    ["keyId", { keys, keyId: "lost" }],
    ["keyId", { keys: () => undefined, keyId: "" }],
    ["required", { keys, required: "yes" }],
    ["bind", { keys, bind: ["contentType"] }],
    ["bind", { keys, bind: "subject" }],
    ["bind", { keys, bind: [1] }],
  ])("refuses a wrong %s and names it", (option, options) => {
    expect(refusal(() => Reflect.apply(encryption, undefined, [options])).path).toBe(`$.${option}`);
  });
});

describe("in a processor", () => {
  const missing: PayloadStore = { put: async () => "key", get: async () => undefined };
  const away: PayloadStore = { put: async () => "key", get: () => Promise.reject(new TypeError("fetch failed")) };

  it("is dead-lettered with a reason of its own, and never delivered", async () => {
    const { client, clock } = setup(
      { queues: ["orders"] },
      { stages: [stage, claimCheck({ store: missing, threshold: 99 })] },
    );
    const bodies: unknown[] = [];
    const { handlers } = noting(({ body }: { readonly body: unknown }) => void bodies.push(body));
    const sealed = await seal(plain());
    await client
      .createSender("orders")
      .sendEnvelopes([
        amend(sealed, { payload: sealed.payload.slice().reverse() }),
        amend(sealed, { applicationProperties: { "sobre-key-id": "lost" } }),
        plain(),
      ]);
    await client.createSender("orders").sendMessages([{ body: "x".repeat(200) }, { body: "fine" }]);

    client.startProcessor("orders", handlers);
    for (let turn = 0; turn < 10; turn++) await clock.advance(0);
    const letters = await client.createReceiver("orders/$DeadLetterQueue").peekMessages(9);

    expect(letters.map(({ deadLetterReason }) => deadLetterReason)).toEqual([
      "DecryptionFailed",
      "UnknownKey",
      "PlaintextRefused",
      "PayloadNotFound",
    ]);
    expect(one(letters).envelope.payload).toEqual(sealed.payload.slice().reverse());
    expect(bodies).toEqual(["fine"]);
  });

  it("comes back uncounted when the store is away, with longer and longer pauses", async () => {
    const { client, clock } = setup(
      { queues: { orders: { maxDeliveryCount: 2 } } },
      { stages: [claimCheck({ store: away, threshold: 1 })] },
    );
    const { errors, handlers } = noting(() => undefined);
    client.startProcessor("orders", handlers);

    await client.createSender("orders").sendMessages({ body: "large" });
    await clock.advance(10_000);
    const waiting = one(await client.createReceiver("orders").peekMessages(1));

    expect(new Set(errors.map(({ errorSource, code }) => `${errorSource} ${code}`))).toEqual(
      new Set(["deserialize ServiceCommunicationProblem"]),
    );
    expect(errors.length).toBeGreaterThanOrEqual(3);
    expect(errors.length).toBeLessThanOrEqual(5);
    expect(waiting.deliveryCount).toBe(0);
  });

  it("is reported when it was received and deleted while the store was away, since it does not come back", async () => {
    const { client, clock } = setup({ queues: ["orders"] }, { stages: [claimCheck({ store: away, threshold: 1 })] });
    const { handlers } = noting(() => undefined);
    const unreadable: unknown[] = [];
    const processUnreadable = ({ result }: UnreadableMessage): void => void unreadable.push(result.error.code);
    client.startProcessor("orders", { ...handlers, processUnreadable }, { receiveMode: "receiveAndDelete" });

    await client.createSender("orders").sendMessages({ body: "large" });
    await clock.advance(0);

    expect(unreadable).toEqual(["ServiceCommunicationProblem"]);
  });

  it("carries large encrypted compressed AMQP values and JSON through all stages and back", async () => {
    const kept = new Map<string, Uint8Array>();
    const store: PayloadStore = {
      put: async (payload) => (kept.set(`k${kept.size}`, payload), `k${kept.size - 1}`),
      get: async (id) => kept.get(id),
    };
    const { client } = setup(
      { queues: ["orders"] },
      {
        serializer: createSerializer({ codecs: [json(), amqp()] }),
        stages: [compression({ encoding: "gzip" }), stage, claimCheck({ store, threshold: 100 })],
      },
    );
    const large = Array.from({ length: 2_000 }, (_, index) => index);

    await client
      .createSender("orders")
      .sendMessages([{ body: large }, { body: large, contentType: "application/x-amqp-value" }, { body: 1 }]);
    const messages = await client.createReceiver("orders").receiveMessages(3);

    expect(messages.map(({ body }) => body)).toEqual([large, large, 1]);
    expect(kept.size).toBe(2);
    expect(one(messages).envelope.brokerProperties.contentEncoding).toBe("gzip, aes-256-gcm, claim-check");
  });
});
