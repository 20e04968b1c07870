import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createEnvelope } from "../../src/core/envelope/index.ts";
import { migrateExitCodes } from "../../src/cli/terminal.ts";
import { deliveryToJson } from "../../src/core/engine/index.ts";
import { sobre } from "../cli/calls.support.ts";
import { axePath, launch, openPage, type Page } from "./browser.support.ts";

const dotnet = fileURLToPath(new URL("../../fixtures/legacy/dotnet", import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), "sobre-report-"));
const report = join(scratch, "report.html");
const payloadOf = (name: string): Uint8Array => new Uint8Array(readFileSync(join(dotnet, name)));

let browser: Awaited<ReturnType<typeof launch>>;
beforeAll(async () => {
  browser = await launch();
  const order = payloadOf("nbfx-dcs-order.bin");
  const payloads = [
    ...["nbfx-dcs-order.bin", "xml-xs-order.bin", "nbfx-dcs-long-array.bin", "nbfx-ndcs-list-string.bin"].map(
      payloadOf,
    ),
    new Uint8Array(Buffer.from(`{"id":1,"${"long".repeat(60)}":"<script>alert(1)</script>"}`)),
    ...Array.from({ length: 30 }, (_, index) => order.subarray(0, 200 + index)),
    Uint8Array.of(0xc1, 0xff),
  ];
  const lines = payloads.map((payload, index) =>
    JSON.stringify(
      deliveryToJson({
        envelope: createEnvelope({
          payload: new Uint8Array(payload),
          brokerProperties: { messageId: `${"order".repeat(index === 5 ? 20 : 1)}-${index}` },
        }),
        sequenceNumber: BigInt(index + 1),
        enqueuedSequenceNumber: 0n,
        enqueuedTimeUtc: new Date(0),
        deliveryCount: 0,
        state: "active",
        lockToken: undefined,
        lockedUntilUtc: undefined,
        expiresAtUtc: undefined,
        deadLetterSource: undefined,
        deadLetterReason: undefined,
        deadLetterErrorDescription: undefined,
      }),
    ),
  );
  const capture = join(scratch, "dlq.ndjson");
  writeFileSync(capture, `${lines.join("\n")}\n`);
  const options = ["--int64", "number", "--report", report, "--quarantine", join(scratch, "unread")];
  const { code } = await sobre("migrate", capture, ...options);
  if (code !== migrateExitCodes.failures) throw new Error(`The migration ended with ${code}.`);
});
afterAll(async () => {
  await browser.close();
  rmSync(scratch, { recursive: true });
});

async function opened(width: number): Promise<Page> {
  const page = await openPage(browser, { viewport: { width, height: 900 } });
  await page.goto(pathToFileURL(report).href);
  await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
  return page;
}

/** Elements with text that reach beyond the page, that cut their text, or that lie on each other. */
const flaws = String.raw`(() => {
  const found = [];
  const name = (one) => one.outerHTML.slice(0, 120);
  if (document.documentElement.scrollWidth > innerWidth) found.push("the page scrolls sideways");
  const leaves = [...document.querySelectorAll("main *")].filter(
    (one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ""),
  );
  for (const one of leaves) {
    const box = one.getBoundingClientRect();
    if (box.width === 0) continue;
    if (box.left < 0 || box.right > innerWidth + 0.5) found.push("beyond the page: " + name(one));
    if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline") found.push("cut: " + name(one));
  }
  const boxes = [...document.querySelectorAll(".tile, section, td, th, li, figure, h1, h2, dt, dd, .verdict")]
    .map((one) => ({ one, box: one.getBoundingClientRect() })).filter(({ box }) => box.width > 0 && box.height > 0);
  for (let a = 0; a < boxes.length; a++) for (let b = a + 1; b < boxes.length; b++) {
    const [x, y] = [boxes[a], boxes[b]];
    if (x.one.contains(y.one) || y.one.contains(x.one)) continue;
    const wide = Math.min(x.box.right, y.box.right) - Math.max(x.box.left, y.box.left);
    const high = Math.min(x.box.bottom, y.box.bottom) - Math.max(x.box.top, y.box.top);
    if (wide > 1 && high > 1) found.push("on each other: " + name(x.one) + " and " + name(y.one));
  }
  return found.slice(0, 10);
})()`;

describe("the report of a migration in a browser", () => {
  it.each([360, 1_280, 2_560])("has nothing cut, overlapping or out of reach at %i pixels", async (width) => {
    const page = await opened(width);

    expect(await page.evaluate(flaws)).toEqual([]);
  });

  it("names every failure with its message id, sequence number and file, and shows each rewritten type before and after", async () => {
    const page = await opened(1_280);
    const text = await page.locator("main").innerText();

    for (let sequence = 6; sequence <= 36; sequence++) {
      expect(text).toMatch(new RegExp(`-${sequence - 1} #${sequence} .*dlq\\.ndjson:${sequence}\\n`));
      expect(text).toMatch(new RegExp(`kept in .*unread/${sequence - 1}-[0-9a-f]{12}\\.envelope\\.json`));
    }
    expect(await page.locator(".pair").count()).toBe(4);
    expect(await page.locator(".tile").count()).toBe(3);
    expect(await page.locator("script").count()).toBe(0);
  });

  it("has no violation of WCAG 2.2 AA", async () => {
    const page = await opened(1_280);
    await page.addScriptTag({ path: axePath() });

    const violations = await page.evaluate(
      `axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] })
        .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.length, nodes[0].html.slice(0, 200)]))`,
    );

    expect(violations).toEqual([]);
  });
});
