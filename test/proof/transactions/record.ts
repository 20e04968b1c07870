/** The end of a delivery that a transaction asks for. */
export type Outcome = "completed" | "deadLettered" | "deferred";

/** A message that a transaction sends. */
interface Sent {
  readonly id: string;
  /** The entities that it arrives in. */
  readonly entities: readonly string[];
  /** The link that it is sent by, whose messages keep their order; `undefined` for a request. */
  readonly link: string | undefined;
}

/** A transaction as its client asked for it, and the answer. */
export interface TransactionRecord {
  readonly name: string;
  readonly sent: Sent[];
  readonly ended: { readonly id: string; readonly outcome: Outcome }[];
  /** The work in it that cannot succeed, if any. */
  sabotage: string | undefined;
  /** Whether the client asks for a rollback. */
  readonly rollsBack: boolean;
  /** Its place among the discharges of its connection. */
  dischargedAs: number;
  answer: "accepted" | "rejected" | undefined;
}

/** Whether a transaction took effect; `undefined` if its client never learnt. */
export function tookEffect({ rollsBack, answer }: TransactionRecord): boolean | undefined {
  if (rollsBack || answer === "rejected") return false;
  return answer === "accepted" ? true : undefined;
}
