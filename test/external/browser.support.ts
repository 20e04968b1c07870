import { createServer } from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { json } from "../../codecs/json/index.ts";
import { msgpack } from "../../codecs/msgpack/index.ts";
import { createSerializer } from "../../src/core/codec/index.ts";
import type { Engine } from "../../src/core/engine/index.ts";
import { memoryEngine, type MemoryEngineOptions } from "../../src/broker/memory/index.ts";
import { createInspector, type InspectorOptions } from "../../src/serve/inspector/index.ts";
import { order } from "../serve/inspector/inspected.support.ts";

/** The parts of Playwright that these tests use; its package is installed only in this folder. */
export interface Page {
  goto(url: string): Promise<unknown>;
  reload(): Promise<unknown>;
  close(): Promise<void>;
  evaluate<T>(script: string): Promise<T>;
  locator(selector: string): Locator;
  getByRole(role: string, options?: { readonly name?: string | RegExp; readonly exact?: boolean }): Locator;
  getByLabel(label: string | RegExp): Locator;
  getByText(text: string | RegExp): Locator;
  screenshot(options: { readonly path: string; readonly fullPage?: boolean }): Promise<unknown>;
  setViewportSize(size: { readonly width: number; readonly height: number }): Promise<void>;
  waitForEvent(event: "download"): Promise<{ path(): Promise<string> }>;
  addScriptTag(options: { readonly path: string }): Promise<unknown>;
  url(): string;
  waitForURL(url: RegExp): Promise<void>;
  on(event: string, listener: (value: { text?: () => string; message?: string }) => void): void;
  readonly keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> };
}

/** A broker with the queue "orders", and a browser. */
export interface Stage {
  readonly engine: Engine;
  readonly page: Page;
  /** Serves an inspector of the engine and opens a place of it; resolves to the address of the inspector. */
  readonly open: (place: string, options?: Partial<InspectorOptions>) => Promise<string>;
}

interface Locator {
  click(): Promise<void>;
  fill(text: string): Promise<void>;
  check(): Promise<void>;
  focus(): Promise<void>;
  selectOption(value: string): Promise<unknown>;
  setInputFiles(path: string): Promise<void>;
  waitFor(options?: { readonly state?: "visible" | "detached" }): Promise<void>;
  textContent(): Promise<string | null>;
  innerText(): Promise<string>;
  inputValue(): Promise<string>;
  count(): Promise<number>;
  first(): Locator;
  nth(index: number): Locator;
  last(): Locator;
  locator(selector: string): Locator;
  isDisabled(): Promise<boolean>;
}

export interface Browser {
  newContext(options: object): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }>;
  close(): Promise<void>;
}

const require = createRequire(import.meta.url);

/** The path of axe, which finds violations of WCAG. */
export const axePath = (): string => require.resolve("axe-core/axe.min.js");

/** Starts Chromium. */
export async function launch(): Promise<Browser> {
  const { chromium }: { readonly chromium: { launch(options: object): Promise<Browser> } } = require("playwright-core");
  const flags = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
  ];
  return chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
}

/** A page that fails its test when something of it is refused or throws. */
export async function openPage(browser: Browser, options: object = {}): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("console", (message) => {
    const text = message.text?.() ?? "";
    if (/content security policy|trusted/i.test(text)) problems.push(text);
  });
  page.on("pageerror", ({ message = "" }) => problems.push(message));
  page.on("dialog", () => problems.push("a dialog was opened"));
  onTestFinished(async () => {
    await context.close();
    if (problems.length > 0) throw new Error(problems.join("\n"));
  });
  return page;
}

/** Serves an inspector of the engine on this machine; resolves to its address. */
export async function serveInspector(engine: Engine, options: Partial<InspectorOptions> = {}): Promise<string> {
  const serializer = createSerializer({ codecs: [json(), msgpack()] });
  const inspector = createInspector({ engine, serializer, changes: true, ...options });
  const server = createServer(inspector.listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await inspector.close();
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${portOf(server.address())}/$ui/`;
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === "object" && address !== null ? address.port : 0;

/** A broker, with a browser that opens places of an inspector of it. */
export async function stage(browser: Browser, engine: Engine, options: object = {}): Promise<Stage> {
  const page = await openPage(browser, options);
  return {
    engine,
    page,
    open: async (place, inspector) => {
      const at = await serveInspector(engine, inspector);
      await page.goto(`${at}${place}`);
      return at;
    },
  };
}

/** A dead letter that its reader refused. */
export const late = (
  id: number,
): ReturnType<typeof order> & { readonly reason: string; readonly description: string } => ({
  ...order(id),
  reason: "TooLate",
  description: "The carrier had left.",
});

/** A memory engine for one test. */
export function memory(entities: MemoryEngineOptions = { queues: ["orders"] }): Engine {
  const engine = memoryEngine(entities);
  onTestFinished(() => engine.close());
  return engine;
}
