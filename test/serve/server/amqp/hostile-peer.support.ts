import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { encodeValue } from "../../../../src/core/amqp-values/encode-value.ts";
import { ServedConnection } from "../../../../src/serve/server/amqp/served-connection.ts";
import type { ConnectionLimits } from "../../../../src/wire/amqp/connection/index.ts";
import type { Engine } from "../../../../src/core/engine/index.ts";
import { memoryEngine } from "../../../../src/broker/memory/index.ts";
import { typed } from "../../../../src/core/values/typed-makers.ts";
import type { AmqpMap, AmqpValue } from "../../../../src/core/values/typed.ts";

const queue = memoryEngine({ queues: ["q"] });

/** A protocol header. */
export const header = (protocol: number): Buffer => Buffer.from([0x41, 0x4d, 0x51, 0x50, protocol, 1, 0, 0]);

/** A frame around any body. */
export function frame(
  body: Uint8Array,
  {
    type = 0,
    channel = 0,
    offset = 2,
  }: { readonly type?: number; readonly channel?: number; readonly offset?: number } = {},
): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.byteLength);
  head[4] = offset;
  head[5] = type;
  head.writeUInt16BE(channel, 6);
  return Buffer.concat([head, body]);
}

/** The body of a performative. */
export const described = (descriptor: number, fields: AmqpValue): Uint8Array =>
  encodeValue(typed.described(typed.ulong(descriptor), fields));
/** A frame with a performative, on channel 0. */
export const performative = (descriptor: number, ...fields: AmqpValue[]): Buffer =>
  frame(described(descriptor, fields));

export const open: Buffer = performative(0x10, "hostile");
export const begin = (channel = 0): Buffer =>
  frame(described(0x11, [null, typed.uint(0), typed.uint(10), typed.uint(10)]), { channel });

/** How a client attaches, where not as a sender to the queue `q`. */
export interface AttachInit {
  readonly name?: string;
  readonly channel?: number;
  readonly isReceiver?: boolean;
  readonly address?: string;
  readonly filter?: AmqpMap;
  readonly properties?: AmqpMap;
}

/** An attach; both termini have the address. */
export function attach(handle: number, options: AttachInit = {}): Buffer {
  const { channel = 0, isReceiver = false, address = "q", filter = null, properties = null } = options;
  const { name = `l${channel}-${handle}` } = options;
  const source = typed.described(typed.ulong(0x28), [address, null, null, null, null, null, null, filter]);
  const target = typed.described(typed.ulong(0x29), [address]);
  const fields = [name, typed.uint(handle), isReceiver, null, null, source, target, null, null, typed.uint(0)];
  return frame(described(0x12, [...fields, null, null, null, properties]), { channel });
}

const collect = garbageCollector();

/** Node's collector, which must be requested by a flag. */
function garbageCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const found: unknown = runInNewContext("gc");
  return () => void (typeof found === "function" && Reflect.apply(found, undefined, []));
}

/** Bytes in use. */
export function used(): number {
  // Memory outside the heap is returned one collection later.
  for (let round = 0; round < 2; round++) collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A server's end after these bytes, with the conditions of the errors that it has sent. */
export async function after(
  bytes: readonly Uint8Array[],
  limits: Partial<ConnectionLimits> = {},
  engine: Engine = queue,
): Promise<{ readonly told: string; readonly over: boolean; readonly connection: ServedConnection }> {
  const connection = new ServedConnection({
    access: {
      anonymous: () => ({ engine, scope: "", rights: ["Manage"], expiresAt: Infinity }),
      password: () => undefined,
      token: () => {
        throw new Error("no tokens");
      },
    },
    limits,
    output: () => undefined,
    now: () => 0,
    firstDeliveryId: () => 0,
  });
  const written: string[] = [];
  let longest = 0;
  for (const chunk of bytes) {
    const before = process.threadCpuUsage();
    connection.wire.receive(chunk);
    // Links are opened between the frames.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    written.push(Buffer.from(connection.wire.take()).toString("latin1"));
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
  }
  // Processor time of this thread, which a busy machine does not lengthen.
  if (longest >= 50) throw new Error(`A read took ${longest} ms of processor time.`);
  return { told: written.join(""), over: connection.wire.over, connection };
}
