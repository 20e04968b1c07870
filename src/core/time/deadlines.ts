import type { Clock, Timer } from "./clock.ts";
import { type Linked, LinkedList } from "./linked-list.ts";

/** Something that is due at a time unless it is removed first. */
export interface Deadline<T> extends Linked<T> {
  /** Milliseconds since 1970. */
  dueAt: number;
}

/**
 * Deadlines, nearly all of which are removed before they are due: adding and removing are cheap, and one timer serves
 * all.
 *
 * Members carry their own links: a `Set` or `Map` that changes with every message leaves old tables behind, which keep
 * their contents alive.
 */
export class Deadlines<T extends Deadline<T>> implements Iterable<T> {
  readonly #clock: Clock;
  readonly #due: (member: T, now: number) => void;
  readonly #members = new LinkedList<T>();
  #timer: Timer | undefined;
  #timerAt = Infinity;

  /** @param due Called for each member that is due, after its removal. */
  constructor(clock: Clock, due: (member: T, now: number) => void) {
    this.#clock = clock;
    this.#due = due;
  }

  add(member: T, dueAt: number): void {
    member.dueAt = dueAt;
    this.#members.append(member);
    if (dueAt < this.#timerAt) this.#arm(dueAt);
  }

  /** Returns whether it was a member. */
  remove(member: T): boolean {
    return this.#members.remove(member);
  }

  clear(): void {
    for (const member of this.#members) this.#members.remove(member);
    this.#timer?.cancel();
    this.#timerAt = Infinity;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#members[Symbol.iterator]();
  }

  /** The timer may be earlier than the first deadline but never later, so it is rarely reset. */
  #arm(at: number): void {
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#clock.setTimer(at, () => this.#ring());
  }

  #ring(): void {
    this.#timerAt = Infinity;
    const now = this.#clock.now();
    let next = Infinity;
    const due: T[] = [];
    for (const member of this.#members) {
      if (member.dueAt <= now) due.push(member);
      else if (member.dueAt < next) next = member.dueAt;
    }
    if (next < Infinity) this.#arm(next);
    // One of them may remove others.
    for (const member of due) if (this.#members.remove(member)) this.#due(member, now);
  }
}
