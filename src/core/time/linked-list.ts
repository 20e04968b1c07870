/** A member of a {@link LinkedList}, which carries its own links and is in at most one list. */
export interface Linked<T> {
  previous: T | undefined;
  next: T | undefined;
}

/** An ordered list; adding and removing take constant time and no memory. */
export class LinkedList<T extends Linked<T>> implements Iterable<T> {
  /** The ends; written only by the list. */
  first: T | undefined = undefined;
  last: T | undefined = undefined;

  has(member: T): boolean {
    return member.previous !== undefined || this.first === member;
  }

  append(member: T): void {
    const { last } = this;
    member.previous = last;
    member.next = undefined;
    if (last === undefined) this.first = member;
    else last.next = member;
    this.last = member;
  }

  /** Adds a member after another one, or at the front. */
  insert(member: T, previous: T | undefined): void {
    const next = previous === undefined ? this.first : previous.next;
    member.previous = previous;
    member.next = next;
    if (previous === undefined) this.first = member;
    else previous.next = member;
    if (next === undefined) this.last = member;
    else next.previous = member;
  }

  /** Returns whether it was a member. */
  remove(member: T): boolean {
    const { previous, next } = member;
    if (previous === undefined && this.first !== member) return false;
    if (previous === undefined) this.first = next;
    else previous.next = next;
    if (next === undefined) this.last = previous;
    else next.previous = previous;
    member.previous = undefined;
    member.next = undefined;
    return true;
  }

  /** Iterates in order; the current member may be removed. */
  *[Symbol.iterator](): Generator<T> {
    for (let member = this.first; member !== undefined;) {
      const { next }: Linked<T> = member;
      yield member;
      member = next;
    }
  }
}
