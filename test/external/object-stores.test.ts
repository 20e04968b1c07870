import { createRequire } from "node:module";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { json } from "../../codecs/json/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import { createClient } from "../../src/client/create-client.ts";
import { memoryEngine } from "../../src/broker/memory/index.ts";
import {
  type AzureBlobContainer,
  azureBlobPayloadStore,
  claimCheck,
  type PayloadStore,
  type S3ObjectClient,
  s3PayloadStore,
} from "../../src/client/stages/index.ts";
import { rejection } from "../refusal.support.ts";
import { credentials, type ObjectStore, startAzureBlobs, startS3 } from "./object-stores.support.ts";

const require = createRequire(import.meta.url);
const aws: {
  readonly S3: new (options: object) => S3ObjectClient & { destroy(): void };
} = require("@aws-sdk/client-s3");
const azure: {
  readonly StorageSharedKeyCredential: new (account: string, key: string) => object;
  readonly ContainerClient: new (url: string, credential: object, options: object) => AzureBlobContainer;
} = require("@azure/storage-blob");

/** A container or bucket in a stand-in, by the official client with this secret. */
const kinds = [
  {
    name: "S3 by @aws-sdk/client-s3",
    start: () => startS3("claims"),
    open: ({ url }: ObjectStore, secret: string, bucket = "claims"): PayloadStore => {
      const client = new aws.S3({
        endpoint: url,
        region: "eu-central-1",
        forcePathStyle: true,
        maxAttempts: 1,
        credentials: { accessKeyId: credentials.id, secretAccessKey: secret },
      });
      return s3PayloadStore({ client, bucket, prefix: "shop/" });
    },
  },
  {
    name: "Azure Blob Storage by @azure/storage-blob",
    start: () => startAzureBlobs("claims"),
    open: ({ url }: ObjectStore, secret: string, name = "claims"): PayloadStore => {
      const credential = new azure.StorageSharedKeyCredential(credentials.id, secret);
      const place = `${url}/${credentials.id}/${name}`;
      const container = new azure.ContainerClient(place, credential, { retryOptions: { maxTries: 1 } });
      return azureBlobPayloadStore({ container, prefix: "shop/" });
    },
  },
] as const;

const missing = "shop/00000000-0000-4000-8000-000000000000";
const payload = new Uint8Array(300_000).map((_, index) => index % 251);

describe.each(kinds)("claim checks in $name", ({ start, open }) => {
  let standIn: ObjectStore;
  let store: PayloadStore;

  beforeAll(async () => {
    standIn = await start();
    store = open(standIn, credentials.secret);
  });
  afterAll(() => standIn.close());

  it("bring large bodies to a receiver, and leave small ones in their messages", async () => {
    const engine = memoryEngine({ queues: ["orders"] });
    const stages = [claimCheck({ store, threshold: 1_000 })];
    const client = createClient({ engine, serializer: createSerializer({ codecs: [json()] }), stages });
    const before = standIn.objects.size;

    await client.createSender("orders").sendMessages([{ body: "x".repeat(200_000) }, { body: "small" }]);
    const receiver = client.createReceiver("orders");
    const bodies = [...(await receiver.receiveMessages(1)), ...(await receiver.receiveMessages(1))];
    await client.close();
    await engine.close();

    expect(bodies.map(({ body }) => String(body).length)).toEqual([200_000, 5]);
    expect(standIn.objects.size - before).toBe(1);
  });

  it("keep the bytes under the prefix", async () => {
    const key = await store.put(payload);

    expect(key).toMatch(/^shop\/[0-9a-f-]{36}$/);
    expect(Buffer.compare(standIn.objects.get(key) ?? Buffer.of(), payload)).toBe(0);
    expect(await store.get(key, payload.byteLength)).toEqual(payload);
    expect(await store.get(await store.put(new Uint8Array()), 10)).toEqual(new Uint8Array());
  });

  it("refuse a payload beyond the limit", async () => {
    const error = await rejection(store.get(await store.put(payload), payload.byteLength - 1));

    expect(error.code).toBe("LimitExceeded");
  });

  it("know no payload that is gone, and never ask for a key that they did not make", async () => {
    standIn.objects.set("shop/secret", Buffer.from("secret"));
    standIn.objects.set(missing.slice(5), Buffer.from("elsewhere"));

    expect(await store.get(missing, 10)).toBeUndefined();
    expect(await store.get("shop/secret", 10)).toBeUndefined();
    expect(await store.get(missing.slice(5), 10)).toBeUndefined();
    expect(await store.get("shop/../secret", 10)).toBeUndefined();
  });

  it("fail for a time while the service is away, and with a wrong key or container", async () => {
    const key = await store.put(payload);
    standIn.isAway = true;

    const putting = await rejection(store.put(payload));
    await expect(store.get(key, payload.byteLength)).rejects.toThrow();
    standIn.isAway = false;
    const wrong = open(standIn, Buffer.from("wrong").toString("base64"));

    expect(putting).toMatchObject({ code: "ServiceCommunicationProblem", retryable: true });
    await expect(wrong.get(key, payload.byteLength)).rejects.toThrow();
    expect((await rejection(wrong.put(payload))).code).toBe("ServiceCommunicationProblem");
    await expect(open(standIn, credentials.secret, "nowhere").get(missing, 10)).rejects.toThrow();
  });
});
