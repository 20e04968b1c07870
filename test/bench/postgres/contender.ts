import { setTimeout as sleep } from "node:timers/promises";

/** A queue on PostgreSQL that sends, receives and completes messages of 1 KiB in batches of 100. */
export interface Contender {
  /** Its name, and how it is set up. */
  readonly name: string;
  readonly configuration: string;
  /** Sends messages and completes them all; resolves when none is left. */
  readonly run: (messages: number) => Promise<void>;
  readonly close: () => Promise<unknown>;
}

/** A contender that is called for each batch. */
export interface Called extends Contender {
  readonly send: (count: number) => Promise<unknown>;
  /** Receives a batch and completes it; resolves to its size. */
  readonly receive: () => Promise<number>;
}

/** A contender that runs these calls. */
export const called = (parts: Omit<Called, "run">): Called => ({
  ...parts,
  run: (messages) => runAll(messages, parts),
});

export const batch = 100;
export const payload: Uint8Array = new Uint8Array(1024).fill(65);

/** Callers of each kind at the same time, in one process. */
export const callers = 2;

/** Messages per second. */
export async function rateOf(contender: Contender, messages: number): Promise<number> {
  const begun = performance.now();
  await contender.run(messages);
  return (messages / (performance.now() - begun)) * 1000;
}

/** Runs senders until every message is sent, and receivers until every message is completed. */
async function runAll(messages: number, { send, receive }: Pick<Called, "send" | "receive">): Promise<void> {
  let unsent = messages;
  let left = messages;
  const sending = async (): Promise<void> => {
    while (unsent > 0) {
      const count = Math.min(batch, unsent);
      unsent -= count;
      await send(count);
    }
  };
  const receiving = async (): Promise<void> => {
    while (left > 0) {
      // The others count meanwhile.
      const received = await receive();
      left -= received;
    }
  };
  await Promise.all(Array.from({ length: callers }, () => [sending(), receiving()]).flat());
}

/**
 * Sends and receives for a time at each call, which returns how many messages were completed.
 *
 * @param mostAhead Messages that senders are ahead of receivers at most. It counts from call to call: what is sent and
 * not received within a call would otherwise weigh the more, the fewer messages each of several processes has.
 */
export function runner({ send, receive }: Called, mostAhead: number): (milliseconds: number) => Promise<number> {
  let ahead = 0;
  return async (milliseconds) => {
    const until = performance.now() + milliseconds;
    let completed = 0;
    const sending = async (): Promise<void> => {
      while (performance.now() < until) {
        if (ahead >= mostAhead) await sleep(1);
        else {
          ahead += batch;
          await send(batch);
        }
      }
    };
    const receiving = async (): Promise<void> => {
      while (performance.now() < until) {
        const received = await receive();
        completed += received;
        ahead -= received;
      }
    };
    await Promise.all(Array.from({ length: callers }, () => [sending(), receiving()]).flat());
    return completed;
  };
}
