import { describe, expect, it } from "vitest";
import { readFileSync } from "node:fs";
import { type ErrorCode, errorTraits, isErrorCode, SobreError } from "../../../src/core/errors/index.ts";

/** The closed list, as the union writes it down: types leave nothing to list at run time. */
const written: readonly string[] = Array.from(
  readFileSync(new URL("../../../src/core/errors/codes.ts", import.meta.url), "utf8").matchAll(/^ {2}\| "(\w+)"/gm),
  ([, code = ""]) => code,
);
const codes: readonly ErrorCode[] = written.filter(isErrorCode);

describe("the table of error codes", () => {
  it.each(codes)("gives %s a PascalCase name and traits that the borders can use", (code) => {
    const { retryable, amqpCondition, httpStatus } = errorTraits(code);

    expect(code).toMatch(/^(?:[A-Z][a-z]+)+$/);
    expect(typeof retryable).toBe("boolean");
    expect(amqpCondition).toMatch(/^(?:amqp|com\.microsoft):[a-z:-]+$/);
    expect(httpStatus).toBeGreaterThanOrEqual(400);
    expect(httpStatus).toBeLessThan(600);
  });

  it("has every code once", () => {
    expect(codes).toEqual([...new Set(written)]);
    expect(codes.length).toBeGreaterThanOrEqual(32);
  });

  it("calls retryable what the official client retries: what may pass by itself, and rotated credentials", () => {
    expect(codes.filter((code) => errorTraits(code).retryable)).toEqual([
      "GeneralError",
      "ServiceBusy",
      "ServiceCommunicationProblem",
      "ServiceTimeout",
      "UnauthorizedAccess",
    ]);
  });

  it.each(["", "generalError", "constructor", "__proto__", "toString"])("knows no code %j", (text) => {
    expect(isErrorCode(text)).toBe(false);
  });
});

describe("SobreError", () => {
  it("carries its code, whether to retry, offset, path and cause", () => {
    const cause = new Error("inner");
    const error = new SobreError("DecodeFailed", "No.", { offset: 7, path: "$.a", cause });

    expect(error).toMatchObject({
      code: "DecodeFailed",
      retryable: false,
      offset: 7,
      path: "$.a",
      cause,
      message: "No.",
    });
    expect(new SobreError("ServiceBusy", "Later.").retryable).toBe(true);
  });

  it("is an Error with a name and a stack, and has no cause unless it was given one", () => {
    const error = new SobreError("Closed", "It was closed.");

    expect(error).toBeInstanceOf(Error);
    expect(String(error)).toBe("SobreError: It was closed.");
    expect(error.stack).toContain("sobre-error.test");
    expect("cause" in error).toBe(false);
    expect(Object.keys(error)).not.toContain("name");
  });

  it("is recognised by instanceof when another copy of sobre made it", async () => {
    const other: typeof import("../../../src/core/errors/sobre-error.ts") = await import(
      `${new URL("../../../src/core/errors/sobre-error.ts", import.meta.url).href}?another-copy`
    );
    const theirs = new other.SobreError("Aborted", "Stopped.");

    expect(other.SobreError).not.toBe(SobreError);
    expect(theirs instanceof SobreError).toBe(true);
    expect(new SobreError("Aborted", "Stopped.") instanceof other.SobreError).toBe(true);
  });

  it.each([[new Error("plain")], [{ code: "Aborted" }], [null], [undefined], ["SobreError"], [Object.create(null)]])(
    "is not %o",
    (value) => {
      expect(value instanceof SobreError).toBe(false);
    },
  );
});
