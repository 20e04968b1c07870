import { describe, expect, expectTypeOf, it } from "vitest";
import type { Serializer } from "../../src/core/codec/index.ts";
import type { Engine } from "../../src/core/engine/index.ts";
import type { Envelope } from "../../src/core/envelope/index.ts";
import { sobreMatchers, type SobreMatchers } from "../../src/client/testing/index.ts";

// The declaration that the docstring of the matchers asks for.
declare module "vitest" {
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends SobreMatchers<R> {}
}

declare const engine: Engine;
declare const envelope: Envelope;
declare const serializer: Serializer;

describe("the matchers", () => {
  it("are known to expect, with their arguments", () => {
    expect.extend(sobreMatchers);
    const told = expect(engine).toHaveDeadLettered("orders", { reason: "Unreadable", count: 1 });
    expectTypeOf(told).toEqualTypeOf<Promise<void>>();
    void expect(engine).not.toHaveDeadLettered("orders");
    expect(envelope).toBeReadableBy(serializer, "json");
    expect(envelope).not.toBeReadableBy(serializer);
    // @ts-expect-error -- a reason is text
    void expect(engine).toHaveDeadLettered("orders", { reason: 1 });
    // @ts-expect-error -- it wants a serializer
    expect(envelope).toBeReadableBy("json");
  });
});
