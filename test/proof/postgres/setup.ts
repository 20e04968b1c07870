/** Milliseconds of the locks of the load: short, so that many run out. */
export const lockDuration = 1500;

/** Sessions to which a process sends. */
export const sessionsOf = (process: string): readonly string[] => ["a", "b"].map((part) => `s${process}${part}`);

/** The queues of the load; neither ever dead-letters by itself. */
export const queues: Readonly<Record<"plain" | "ordered", object>> = {
  plain: { lockDuration, maxDeliveryCount: 2000 },
  ordered: { lockDuration, maxDeliveryCount: 2000, requiresSession: true },
};
