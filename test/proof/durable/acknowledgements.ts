import type { Delivery, MessageState } from "../../../src/core/engine/delivery.ts";

/**
 * The things that calls change, with their values afterwards, by name: `message ADDRESS ID`, `seen ADDRESS ID`, `state ADDRESS SESSION`,
 * `entity ADDRESS` or `rule ADDRESS NAME`. An empty text is a thing that is not there; `|` separates values of which one is there.
 */
export type Effects = Readonly<Record<string, string>>;

/** A call that has begun: its number, its kind and its effects. */
export interface Call {
  readonly call: number;
  readonly kind: string;
  readonly effects: Effects;
}

/** The end of a call, with the sequence numbers that it showed. */
export interface Acknowledgement {
  readonly acknowledged: number;
  readonly numbers: readonly (readonly [address: string, id: string, number: string])[];
}

/** A message as a value of {@link Effects}. */
export interface Seen {
  readonly state: MessageState;
  readonly deliveryCount: number;
  readonly delivered: boolean;
  /** The application property that settlements change. */
  readonly mark: string;
}

export const describe = ({ state, deliveryCount, delivered, mark }: Seen): string =>
  [state, deliveryCount, delivered ? "held" : "free", mark].join(" ");

export const isOneOf = (value: string, values: string): boolean => values.split("|").includes(value);

/** The value after a restart: a message that was held has one delivery more. */
const afterRestart = (value: string): string =>
  value.replaceAll(/ (\d+) held /g, (_all, count: string) => ` ${Number(count) + 1} free `);

export const markOf = (applicationProperties: Delivery["envelope"]["applicationProperties"]): string =>
  String(applicationProperties["mark"] ?? "");

/** A call that was acknowledged, without the effects that change nothing. */
export type Done = Pick<Call, "kind" | "effects">;

/** Knows from the lines of a process what was acknowledged, and what may have happened besides. */
export class Acknowledgements {
  readonly #due = new Map<string, string>();
  readonly #open = new Map<number, Call>();
  /** Who had each sequence number, by address. */
  readonly #numbers = new Map<string, string>();

  /** Reads a line; returns the call that it acknowledges. */
  add(line: string): Done | undefined {
    if (line === "") return undefined;
    const said: Call | Acknowledgement = JSON.parse(line);
    if ("call" in said) {
      this.#open.set(said.call, said);
      return undefined;
    }
    const call = this.#open.get(said.acknowledged);
    if (call === undefined) throw new Error(`The call ${said.acknowledged} never began.`);
    this.#open.delete(said.acknowledged);
    const changed = Object.entries(call.effects).filter(([name, value]) => !isOneOf(this.#valueOf(name), value));
    for (const [name, value] of changed) this.#due.set(name, value);
    for (const [address, id, number] of said.numbers) this.number(address, id, number);
    return { kind: call.kind, effects: Object.fromEntries(changed) };
  }

  /** The names that had a value when they were acknowledged, and are in no open call. */
  *settled(): Generator<readonly [name: string, value: string]> {
    const open = new Set([...this.#open.values()].flatMap(({ effects }) => Object.keys(effects)));
    for (const entry of this.#due) if (!open.has(entry[0])) yield entry;
  }

  /** Holds what is there after a restart to what was acknowledged; an open call has happened whole or not at all. */
  check(there: ReadonlyMap<string, string>): void {
    const isThere = (name: string, values: string): boolean => isOneOf(there.get(name) ?? "", afterRestart(values));
    const open = [...this.#open.values()].map(({ kind, effects }) => ({
      kind,
      effects: Object.entries(effects).filter(([name]) => !name.startsWith("seen ")),
    }));
    const undecided = new Set(open.flatMap(({ effects }) => effects.map(([name]) => name)));
    for (const call of open) {
      const others = open.filter((other) => other !== call).flatMap(({ effects }) => effects);
      const happened = call.effects.every(([name, values]) => isThere(name, values));
      const did = call.effects.every(([name]) =>
        [[name, this.#valueOf(name)] as const, ...others].some(
          ([other, values]) => other === name && isThere(name, values),
        ),
      );
      if (!happened && !did) throw new Error(`"${call.kind}" happened in part: ${JSON.stringify([call, [...there]])}`);
    }
    for (const name of new Set([...this.#due.keys(), ...there.keys()])) {
      if (name.startsWith("seen ") || undecided.has(name)) continue;
      if (!isThere(name, this.#valueOf(name)))
        throw new Error(`"${name}" is "${there.get(name)}" after a restart, and "${this.#valueOf(name)}" was due.`);
    }
  }

  /** Holds a sequence number to its one message. */
  number(address: string, id: string, number: string): void {
    const before = this.#numbers.get(`${address} ${number}`);
    if (before !== undefined && before !== id)
      throw new Error(`#${number} of ${address} was given to ${before} and to ${id}.`);
    this.#numbers.set(`${address} ${number}`, id);
  }

  /** Holds the sequence number of a new message to those that were given before. */
  checkNew(address: string, number: string): void {
    const before = this.#numbers.get(`${address} ${number}`);
    if (before !== undefined) throw new Error(`#${number} of ${address} is ${before}'s, and was given again.`);
  }

  #valueOf(name: string): string {
    return this.#due.get(name) ?? "";
  }
}
