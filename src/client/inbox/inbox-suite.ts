import type { Inbox } from "../client/inbox.ts";
import { type OpenedStore, same, type StoreCase, within } from "./store-case.ts";

type OpenedInbox<Tx> = OpenedStore<Inbox<Tx>, Tx>;

/** Every promise of an {@link Inbox}, as data; run each on a fresh store. */
export function inboxSuite<Tx>(): readonly StoreCase<OpenedInbox<Tx>>[] {
  const one = (name: string, promise: string, run: StoreCase<OpenedInbox<Tx>>["run"]): StoreCase<OpenedInbox<Tx>> => ({
    name,
    promise,
    needsTransactions: false,
    run,
  });
  const inTransaction = (...given: Parameters<typeof one>): StoreCase<OpenedInbox<Tx>> => ({
    ...one(...given),
    needsTransactions: true,
  });
  return [
    one("claim", "A message is claimed by one owner at a time, who may claim it again.", async ({ store, other }) => {
      same(await store.claim("a", "me", 1_000), "claimed", "the first claim");
      same(await other.claim("a", "you", 1_000), "held", "the claim of another owner");
      same(await store.claim("a", "me", 1_000), "claimed", "the second claim of the owner");
      same(await other.claim("b", "you", 1_000), "claimed", "the claim on another message");
    }),
    one("claims at once", "Of many claims at once, one succeeds.", async ({ store, other }) => {
      const stores = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? store : other));
      const claims = stores.map(async (each, index) => each.claim("a", `owner ${index}`, 1_000));
      const answers = await Promise.all(claims);
      same(answers.filter((answer) => answer === "claimed").length, 1, "the number of owners");
    }),
    one("complete", "A message that was handled is never claimed again.", async ({ store, other, advance }) => {
      await store.claim("a", "me", 1_000);
      same(await store.complete("a", "me"), true, "completing");
      same(await other.claim("a", "you", 1_000), "handled", "the claim on a handled message");
      await advance(Math.min(store.retentionInMs - 1_000, 3_000_000));
      same(await other.claim("a", "you", 1_000), "handled", "the claim within the retention");
    }),
    one("release", "A claim that is given up is free at once, by its owner alone.", async ({ store, other }) => {
      await store.claim("a", "me", 1_000);
      await other.release("a", "you");
      same(await other.claim("a", "you", 1_000), "held", "the claim after another owner's release");
      await store.release("a", "me");
      same(await other.claim("a", "you", 1_000), "claimed", "the claim after the release");
    }),
    one("release of a handled message", "A handled message stays handled.", async ({ store }) => {
      await store.claim("a", "me", 1_000);
      await store.complete("a", "me");
      await store.release("a", "me");
      same(await store.claim("a", "you", 1_000), "handled", "the claim");
    }),
    one("expiry", "A claim that is over can be taken, and is lost to its owner.", async ({ store, other, advance }) => {
      await store.claim("a", "me", 60_000);
      await advance(50_000);
      same(await other.claim("a", "you", 60_000), "held", "the claim before the end");
      await advance(20_000);
      same(await other.claim("a", "you", 60_000), "claimed", "the claim after the end");
      same(await store.renew("a", "me", 60_000), false, "renewing a lost claim");
      same(await store.complete("a", "me"), false, "completing a lost claim");
      same(await other.complete("a", "you"), true, "completing by the new owner");
    }),
    one("renewal", "A renewed claim lasts longer.", async ({ store, other, advance }) => {
      await store.claim("a", "me", 60_000);
      await advance(50_000);
      same(await store.renew("a", "me", 60_000), true, "renewing");
      await advance(50_000);
      same(await other.claim("a", "you", 60_000), "held", "the claim on a renewed one");
    }),
    inTransaction(
      "commit",
      "A message is handled when the caller's transaction commits, not before.",
      async (opened) => {
        const { store, other } = opened;
        await store.claim("a", "me", 60_000);
        await within(opened, "commit", async (transaction) => {
          same(await store.complete("a", "me", transaction), true, "completing");
        });
        same(await other.claim("a", "you", 60_000), "handled", "the claim after the commit");
      },
    ),
    inTransaction("rollback", "A rollback leaves the claim to its owner.", async (opened) => {
      const { store, other } = opened;
      await store.claim("a", "me", 60_000);
      await within(opened, "rollback", async (transaction) => {
        await store.complete("a", "me", transaction);
      });
      same(await other.claim("a", "you", 60_000), "held", "the claim after the rollback");
      same(await store.complete("a", "me"), true, "completing after the rollback");
    }),
    inTransaction("fencing", "An owner that lost its claim cannot complete in a transaction.", async (opened) => {
      const { store, other } = opened;
      await store.claim("a", "me", 60_000);
      await opened.advance(70_000);
      await other.claim("a", "you", 60_000);
      await within(opened, "rollback", async (transaction) => {
        same(await store.complete("a", "me", transaction), false, "completing a lost claim");
      });
      same(await other.complete("a", "you"), true, "completing by the new owner");
    }),
  ];
}
