import type { OutboxStore, OutgoingMessage } from "./outbox-store.ts";
import { type OpenedStore, same, type StoreCase, within } from "./store-case.ts";

type OpenedOutbox<Tx> = OpenedStore<OutboxStore<Tx>, Tx>;

const message = (entityPath: string, byte: number): OutgoingMessage => ({
  entityPath,
  message: Uint8Array.of(0, byte, 0xff),
});

/** Every promise of an {@link OutboxStore}, as data; run each on a fresh store. */
export function outboxSuite<Tx>(): readonly StoreCase<OpenedOutbox<Tx>>[] {
  const one = (
    name: string,
    promise: string,
    run: StoreCase<OpenedOutbox<Tx>>["run"],
  ): StoreCase<OpenedOutbox<Tx>> => ({
    name,
    promise,
    needsTransactions: true,
    run,
  });
  const added = (opened: OpenedOutbox<Tx>, ...messages: readonly OutgoingMessage[]): Promise<void> =>
    within(opened, "commit", async (transaction) => opened.store.add(messages, transaction));
  const read = async (
    { other }: OpenedOutbox<Tx>,
    most = 10,
    ...except: readonly string[]
  ): Promise<readonly unknown[]> =>
    (await other.read(most, except)).map((found) => [found.entityPath, found.message[1]]);
  return [
    one("commit", "Messages are there, in order and unchanged, after the commit.", async (opened) => {
      await added(opened, message("a", 1), message("b", 2));
      await added(opened, message("a", 3));
      same(
        await read(opened),
        [
          ["a", 1],
          ["b", 2],
          ["a", 3],
        ],
        "the messages",
      );
      same(
        await read(opened, 2),
        [
          ["a", 1],
          ["b", 2],
        ],
        "the oldest two",
      );
      same(await read(opened, 10, "a"), [["b", 2]], "those not for a");
      const [first] = await opened.other.read(1, []);
      same(first?.message, Uint8Array.of(0, 1, 0xff), "the bytes");
    }),
    one("rollback", "A rollback leaves nothing.", async (opened) => {
      await within(opened, "rollback", async (transaction) => opened.store.add([message("a", 1)], transaction));
      same(await read(opened), [], "the messages");
    }),
    one("join", "A transaction that was joined takes messages until it ends.", async (opened) => {
      let late: ReturnType<NonNullable<OutboxStore<Tx>["join"]>> | undefined;
      await within(opened, "commit", async (transaction) => {
        late = opened.store.join?.(transaction);
        await late?.([message("a", 1)]);
        await late?.([message("a", 2)]);
      });
      if (late === undefined) return;
      let isRefused = false;
      try {
        await late([message("a", 3)]);
      } catch {
        isRefused = true;
      }
      same(isRefused, true, "the refusal after the end");
      same(
        await read(opened),
        [
          ["a", 1],
          ["a", 2],
        ],
        "the messages",
      );
    }),
    one("lead", "One owner relays, until it resigns or its time is over.", async ({ store, other, advance }) => {
      same(await store.lead("me", 60_000), true, "the first lead");
      same(await other.lead("you", 60_000), false, "the lead of another");
      await advance(50_000);
      same(await store.lead("me", 60_000), true, "the lead for longer");
      await advance(50_000);
      same(await other.lead("you", 60_000), false, "the lead of another within that time");
      await other.resign("you");
      same(await other.lead("you", 60_000), false, "the lead after the resignation of another");
      await advance(20_000);
      same(await other.lead("you", 60_000), true, "the lead after the end");
      await other.resign("you");
      same(await store.lead("me", 60_000), true, "the lead after the resignation");
    }),
    one("remove", "Messages are removed by the owner that leads alone.", async (opened) => {
      const { store, other } = opened;
      await added(opened, message("a", 1), message("a", 2));
      const [first] = await store.read(1, []);
      const ids = first === undefined ? [] : [first.id];
      await store.lead("me", 60_000);
      await opened.advance(70_000);
      await other.lead("you", 60_000);
      same(await store.remove("me", ids), false, "removing without the lead");
      same(
        await read(opened),
        [
          ["a", 1],
          ["a", 2],
        ],
        "the messages",
      );
      same(await other.remove("you", ids), true, "removing with the lead");
      same(await read(opened), [["a", 2]], "the messages left");
    }),
  ];
}
