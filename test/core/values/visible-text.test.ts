import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { oneLine, visibleJson } from "../../../src/core/values/visible-text.ts";
import { unprintable } from "../../cli/captured-terminal.support.ts";
import { anyText } from "../../unicode.support.ts";

describe("oneLine", () => {
  it("escapes what a terminal would obey or hide", () => {
    const text = "\u001b[31mred\u001b[0m\r\n\ttab \u009b2J \u202eevil \ufeff end";

    const shown = oneLine(text);

    expect(shown).toBe(String.raw`\u001b[31mred\u001b[0m\r\n\ttab \u009b2J \u202eevil \ufeff end`);
  });

  it("leaves everyday text of every script alone", () => {
    const text = "¡Hola, 世界! Ünïcödé مرحبا 🚚";

    expect(oneLine(text)).toBe(text);
  });
});

describe("visibleJson", () => {
  it("keeps the value and leaves no control character in the text", () => {
    fc.assert(
      fc.property(anyText({ maxLength: 30 }), (text) => {
        const shown = visibleJson({ [text]: text });

        expect(JSON.parse(shown)).toEqual({ [text]: text });
        expect(unprintable(shown)).toEqual([]);
      }),
    );
  });
});
