import { describe, expect, it } from "vitest";
import { isTraceparent, readTraceContext, traceProperties } from "../../../src/core/message/index.ts";

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const other = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

describe("a trace context", () => {
  it("is written for W3C and for older readers, and read back", () => {
    const context = { traceparent, tracestate: "a=1", baggage: "tenant=b" };

    expect(traceProperties(context)).toEqual({ ...context, "Diagnostic-Id": traceparent });
    expect(readTraceContext({ ...traceProperties(context) })).toEqual(context);
  });

  it("is read from traceparent first, then from Diagnostic-Id, whose tracestate is not its own", () => {
    expect(readTraceContext({ traceparent, "Diagnostic-Id": other })).toMatchObject({ traceparent });
    expect(readTraceContext({ traceparent: "broken", tracestate: "a=1", "Diagnostic-Id": other })).toEqual({
      traceparent: other,
      tracestate: undefined,
      baggage: undefined,
    });
    expect(readTraceContext({ "Diagnostic-Id": "|4bf9.1." })).toBeUndefined();
    expect(readTraceContext({})).toBeUndefined();
  });

  it.each([
    [traceparent, true],
    [`01${traceparent.slice(2)}-more`, true],
    [`${traceparent}-more`, false],
    [`ff${traceparent.slice(2)}`, false],
    [traceparent.toUpperCase(), false],
    [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`, false],
    [`00-4bf92f3577b34da6a3ce929d0e0e4736-${"0".repeat(16)}-01`, false],
    ["", false],
    [5, false],
    [`01${traceparent.slice(2)}-${"x".repeat(600)}`, false],
  ])("is %j: %s", (text, is) => {
    expect(isTraceparent(text)).toBe(is);
  });
});
