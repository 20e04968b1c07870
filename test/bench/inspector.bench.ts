import { fork } from "node:child_process";
import { once } from "node:events";
import { gzipSync } from "node:zlib";
import { pageFiles } from "../../src/serve/inspector/page-files.ts";
import { launch, type Page } from "../external/browser.support.ts";
import { type Figure, median } from "./harness.ts";

const deadLetters = 100_000;
const rounds = 5;
/** Rounds before those that count: compilers are at work in them. */
const warmUp = 2;
/** Bytes of one row of the list times the rows that one step of the wheel passes. */
const step = 58 * 12;

interface Usage {
  readonly pause: number;
  readonly cpu: number;
}

interface Served {
  readonly url: string;
  /** The longest pause of the event loop since the last call, and the processor time so far, in milliseconds. */
  usage(): Promise<Usage>;
  close(): Promise<void>;
}

/** The inspector over 100,000 dead letters of the memory engine, and the page of it in Chromium. */
export async function bench(): Promise<readonly Figure[]> {
  const served = await start();
  const grouping: number[] = [];
  const searching: number[] = [];
  const pauses: number[] = [];
  for (let round = -warmUp; round < rounds; round++) {
    const before = await served.usage();
    const grouped = await timed(() => walk(`${served.url}api/groups?entity=orders/$DeadLetterQueue`));
    const searched = await timed(() =>
      walk(`${served.url}api/messages?entity=orders/$DeadLetterQueue&max=200&text=SKU-976x`),
    );
    const { pause, cpu } = await served.usage();
    if (round < 0) continue;
    console.log(`  grouping and search of a round: ${(cpu - before.cpu).toFixed(0)} ms of processor time`);
    grouping.push(grouped);
    searching.push(searched);
    pauses.push(pause);
  }
  console.log(`  longest pause of each round: ${pauses.map((pause) => pause.toFixed(1)).join(", ")} ms`);
  const { first, task } = await inBrowser(served.url);
  await served.close();
  const { script, style } = await pageFiles();
  const size = gzipSync(script).byteLength + gzipSync(style).byteLength;
  return [
    ms("first view, from request to content, median of 5", first, 300, 600),
    ms("grouping 100,000 dead letters", median(grouping), 1500, 3000),
    ms("search in 100,000 bodies", median(searching), 3000, 6000),
    ms("longest pause of the event loop, of 5 rounds of both", Math.max(...pauses), 20, 60),
    ms("longest task of the page while scrolling", task, 50, 150),
    { name: "page, gzipped", measured: size / 1000, bound: "most", target: 45, floor: 45, unit: " KB" },
  ];
}

async function start(): Promise<Served> {
  const child = fork(new URL("inspector/inspected-process.ts", import.meta.url), [String(deadLetters)]);
  const [told]: unknown[] = await once(child, "message");
  const url = `http://127.0.0.1:${numberIn(told, "port")}/$ui/`;
  // The page is bundled on the first request.
  await (await fetch(`${url}app.js`)).text();
  return {
    url,
    async usage() {
      const answer = once(child, "message");
      child.send("usage");
      const [usage]: unknown[] = await answer;
      return { pause: numberIn(usage, "pause"), cpu: numberIn(usage, "cpu") };
    },
    async close() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

/** Asks for part after part, as the page does. */
async function walk(url: string): Promise<void> {
  for (let from: string | null = "0"; from !== null;) {
    const answer: unknown = await (await fetch(`${url}&from=${from}`)).json();
    const next: unknown = typeof answer === "object" && answer !== null ? Reflect.get(answer, "next") : null;
    from = typeof next === "string" ? next : null;
  }
}

async function inBrowser(url: string): Promise<{ readonly first: number; readonly task: number }> {
  const browser = await launch();
  const views: number[] = [];
  for (let view = 0; view < 5; view++) {
    const page = await opened(browser);
    views.push(
      await timed(async () => {
        await page.goto(url);
        await page.getByText("100,000 dead letters").waitFor();
      }),
    );
    await page.close();
  }
  console.log(`  first views: ${views.map((view) => view.toFixed(0)).join(", ")} ms`);
  const page = await opened(browser);
  await page.goto(`${url}#/e/orders/dead`);
  await page.getByText("100,000 counted").waitFor();
  await page.evaluate(observeTasks);
  const task = await page.evaluate<number>(scroll(4000));
  await browser.close();
  return { first: median(views), task };
}

const opened = async (browser: Awaited<ReturnType<typeof launch>>): Promise<Page> =>
  (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();

const observeTasks = `
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: "longtask" });
`;

/** Scrolls for some milliseconds, a step per frame; gives the longest task, 0 when none was above 50 ms. */
const scroll = (milliseconds: number): string => `new Promise((resolve) => {
  const list = document.querySelector(".list");
  const until = performance.now() + ${milliseconds};
  const frame = () => {
    list.scrollTop += ${step};
    if (performance.now() < until) requestAnimationFrame(frame);
    else setTimeout(() => resolve(globalThis.longest), 200);
  };
  frame();
})`;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await work();
  return performance.now() - before;
}

const ms = (name: string, measured: number, target: number, floor: number): Figure => ({
  name,
  measured,
  bound: "most",
  target,
  floor,
  unit: " ms",
});

function numberIn(told: unknown, name: string): number {
  const value: unknown = typeof told === "object" && told !== null ? Reflect.get(told, name) : undefined;
  return typeof value === "number" ? value : Number.NaN;
}
