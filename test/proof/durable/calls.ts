import type { Engine } from "../../../src/core/engine/engine.ts";
import { createEnvelope, type Envelope } from "../../../src/core/envelope/envelope.ts";
import type { Random } from "../../random.support.ts";
import type { Acknowledgement, Call, Effects } from "./acknowledgements.ts";

let calls = 0;

interface Setting {
  readonly engine: Engine;
  readonly random: Random;
  readonly say: (line: Call | Acknowledgement) => void;
  /** Awaited before each call. */
  readonly idle: () => Promise<void>;
}

/** The calls of one caller, each with a line when it begins and one when it is acknowledged. */
export class Calls {
  readonly engine: Engine;
  readonly random: Random;
  readonly name: string;
  readonly #setting: Setting;
  #last = 0;

  constructor(setting: Setting, name: string) {
    this.engine = setting.engine;
    this.random = setting.random;
    this.name = name;
    this.#setting = setting;
  }

  /** A number that the caller has not had. */
  next(): number {
    return ++this.#last;
  }

  message(more: object = {}): Envelope {
    const messageId = `id-${this.name}-${this.next()}`;
    const payload = new Uint8Array(200 + (this.#last % 7) * 400);
    return createEnvelope({ payload, brokerProperties: { messageId, ...more } });
  }

  async call<T>(
    kind: string,
    effects: Effects,
    call: () => Promise<T>,
    numbers: (result: T) => Acknowledgement["numbers"] = () => [],
  ): Promise<T> {
    await this.#setting.idle();
    const number = ++calls;
    this.#setting.say({ call: number, kind, effects });
    const result = await call();
    this.#setting.say({ acknowledged: number, numbers: numbers(result) });
    return result;
  }
}
