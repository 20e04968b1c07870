import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { batch, callers, type Called, called, type Contender, payload } from "./contender.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const ignore = (): void => {};
const text = Buffer.from(payload).toString();

/** Installs the packages of `package.json` here. */
export async function installOthers(): Promise<void> {
  if (existsSync(`${folder}node_modules/pg-boss`)) return;
  await promisify(execFile)("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder });
}

interface PgBoss {
  on(event: "error", listener: () => void): unknown;
  start(): Promise<unknown>;
  createQueue(name: string): Promise<unknown>;
  insert(name: string, jobs: readonly { readonly data: object }[]): Promise<unknown>;
  fetch(name: string, options: { readonly batchSize: number }): Promise<readonly { readonly id: string }[]>;
  complete(name: string, ids: readonly string[]): Promise<unknown>;
  stop(options: { readonly graceful: boolean }): Promise<unknown>;
}

interface PgBossModule {
  readonly PgBoss: new (connectionString: string) => PgBoss;
}

/** pg-boss, called directly: its workers would add a polling interval. */
export async function pgBoss(connectionString: string): Promise<Called> {
  const module: PgBossModule = await import(`${folder}node_modules/pg-boss/dist/index.js`);
  const boss = new module.PgBoss(connectionString);
  boss.on("error", ignore);
  await boss.start();
  await boss.createQueue("q");
  return called({
    name: "pg-boss 12",
    configuration: `${callers} inserters, ${callers} fetchers (insert, fetch and complete of ${batch} each, no polling), 10 connections, defaults otherwise`,
    send: (count) =>
      boss.insert(
        "q",
        Array.from({ length: count }, () => ({ data: { text } })),
      ),
    receive: async () => {
      const jobs = await boss.fetch("q", { batchSize: batch });
      if (jobs.length === 0) await sleep(2);
      else
        await boss.complete(
          "q",
          jobs.map(({ id }) => id),
        );
      return jobs.length;
    },
    close: () => boss.stop({ graceful: false }),
  });
}

interface GraphileModule {
  run(options: {
    readonly connectionString: string;
    readonly noHandleSignals: boolean;
    readonly preset?: object;
    readonly logger: unknown;
    readonly taskList: Readonly<Record<string, () => Promise<void>>>;
  }): Promise<{ stop(): Promise<unknown> }>;
  makeWorkerUtils(options: { readonly connectionString: string; readonly logger: unknown }): Promise<{
    addJobs(jobs: readonly { readonly identifier: string; readonly payload: object }[]): Promise<unknown>;
    release(): Promise<unknown>;
  }>;
  readonly Logger: new (factory: () => () => void) => unknown;
}

/** graphile-worker, with its defaults or with its local queue and batched completion. */
export async function graphileWorker(connectionString: string, setup: "defaults" | "tuned"): Promise<Contender> {
  const graphile: GraphileModule = await import(`${folder}node_modules/graphile-worker/dist/index.js`);
  const logger = new graphile.Logger(() => ignore);
  const utils = await graphile.makeWorkerUtils({ connectionString, logger });
  const worker = { concurrentJobs: 100, localQueue: { size: 500 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 };
  return {
    name: `graphile-worker 0.18, ${setup}`,
    configuration:
      setup === "tuned"
        ? `addJobs of ${batch} by ${callers} callers, ${JSON.stringify(worker)}`
        : `addJobs of ${batch} by ${callers} callers, no option`,
    run: async (messages) => {
      let left = messages;
      let unsent = messages;
      let end = ignore;
      const done = new Promise<void>((resolve) => (end = resolve));
      const task = async (): Promise<void> => {
        left--;
        if (left === 0) end();
      };
      const preset = setup === "tuned" ? { preset: { worker } } : {};
      const runner = await graphile.run({
        connectionString,
        noHandleSignals: true,
        logger,
        taskList: { task },
        ...preset,
      });
      const adding = async (): Promise<void> => {
        while (unsent > 0) {
          const count = Math.min(batch, unsent);
          unsent -= count;
          await utils.addJobs(Array.from({ length: count }, () => ({ identifier: "task", payload: { text } })));
        }
      };
      await Promise.all([...Array.from({ length: callers }, adding), done]);
      await runner.stop();
    },
    close: () => utils.release(),
  };
}
