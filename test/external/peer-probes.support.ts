import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { dotnetEnvironment, goFolder, pgbouncer } from "./installed.support.ts";
import { rabbitmqProgram } from "./rabbitmq-server.support.ts";

/** The name of something outside Node that tests ask for. */
export type PeerName =
  | "cc"
  | "chromium"
  | "curl"
  | "dotnet"
  | "go"
  | "java"
  | "jq"
  | "mono"
  | "npm"
  | "pgbouncer"
  | "port-443"
  | "port-5671"
  | "postgres-15"
  | "python"
  | "rabbitmq";

/** Something outside Node that tests need, and the way to find out whether this machine has it. */
export interface Probe {
  /** Requirements of the machine, in words for the person who installs them. */
  readonly needs: string;
  /** Rejects, with a sentence, when the machine does not have it: the program is missing, or its registry does not answer. */
  readonly find: () => Promise<unknown>;
}

/** The time that a registry has to answer, in milliseconds. */
const patience = 20_000;

/** The time that a restore of .NET has, whose own start takes 20 seconds on a busy machine. */
const buildPatience = 60_000;

interface Failure {
  readonly code?: unknown;
  readonly killed?: boolean;
  readonly stdout?: string;
  readonly stderr?: string;
}

/** The line of a program's output that says best why it has failed. */
function gist(output: string): string {
  const lines = stripVTControlCharacters(output)
    .split("\n")
    .map((line) => line.replaceAll(/\[?ERROR\]?:? */g, "").trim())
    .filter(Boolean);
  const best = lines.find((line) => /could not|cannot|no such/i.test(line)) ?? lines[0] ?? "it says nothing";
  return best.length > 160 ? `${best.slice(0, 160)}…` : best;
}

/** Where a program runs. Default: here, with this process's environment. */
interface ProgramPlace {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** How long it may run, in milliseconds. Default: the time that a registry has to answer. */
  readonly timeout?: number;
}

/** Runs a program until it ends, at most as long as a registry may take. */
async function answers(program: string, args: readonly string[], where: ProgramPlace = {}): Promise<void> {
  const options = { timeout: patience, killSignal: "SIGKILL", ...where } as const;
  const { timeout } = options;
  try {
    await promisify(execFile)(program, args, options);
  } catch (error) {
    const { code, killed, stdout, stderr }: Failure = Object(error);
    if (code === "ENOENT") throw new Error(`${program} is not on the path`, { cause: error });
    if (killed === true) throw new Error(`${program} had no answer within ${timeout / 1000} s`, { cause: error });
    throw new Error(`${program} has failed: ${gist(`${stderr}\n${stdout}`)}`, { cause: error });
  }
}

/** Calls with a folder that is removed afterwards. */
async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sobre-probe-"));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file of this folder. */
const read = (name: string): string => readFileSync(join(import.meta.dirname, name), "utf8");

/** The text that a pattern finds in a list of packages, which pins them all. */
function pinned(file: string, pattern: RegExp): string {
  const [, version] = pattern.exec(read(file)) ?? [];
  if (version === undefined) throw new Error(`${file} pins no package like ${pattern.source}.`);
  return version;
}

async function findPython(): Promise<void> {
  await answers("python3", ["-c", "import venv, ensurepip"]);
  const one = pinned("requirements.txt", /^(azure-servicebus==\S+)$/m);
  const download = ["-m", "pip", "download", "--no-deps", "--no-cache-dir", "--retries", "0", "--dest"];
  await inFolder((folder) => answers("python3", [...download, folder, one]));
}

/** Maven reads a project that imports the package's own description, and keeps nothing of it. */
async function findJava(): Promise<void> {
  await answers("java", ["-version"]);
  const [one] = /<groupId>com\.azure<[^]*?<\/version>/.exec(read("azure-messaging-servicebus/pom.xml")) ?? [];
  const imported = `<dependency>${one}<type>pom</type><scope>import</scope></dependency>`;
  const managed = `<dependencyManagement><dependencies>${imported}</dependencies></dependencyManagement>`;
  const own = "<modelVersion>4.0.0</modelVersion><groupId>sobre</groupId><artifactId>probe</artifactId>";
  await inFolder(async (folder) => {
    const project = join(folder, "pom.xml");
    writeFileSync(project, `<project>${own}<version>1</version><packaging>pom</packaging>${managed}</project>`);
    await answers("mvn", ["validate", "-q", "-B", "-f", project, `-Dmaven.repo.local=${join(folder, "repository")}`]);
  });
}

async function findGo(): Promise<void> {
  await answers("go", ["version"]);
  await answers("go", ["mod", "download", "github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"], {
    cwd: goFolder,
  });
}

/** NuGet downloads one small package that the client needs, by itself, into a folder of its own. */
async function findDotnet(): Promise<void> {
  const env = { ...process.env, ...dotnetEnvironment };
  await answers("dotnet", ["--version"], { env });
  const version = pinned("dotnet/service-bus/packages.lock.json", /"Azure\.Core\.Amqp": \{[^}]*"resolved": "([^"]+)"/);
  const target = `<PropertyGroup><TargetFramework>net10.0</TargetFramework></PropertyGroup>`;
  const download = `<ItemGroup><PackageDownload Include="Azure.Core.Amqp" Version="[${version}]" /></ItemGroup>`;
  await inFolder(async (cwd) => {
    writeFileSync(join(cwd, "probe.csproj"), `<Project Sdk="Microsoft.NET.Sdk">${target}${download}</Project>`);
    await answers("dotnet", ["restore", "--packages", join(cwd, "packages"), "--no-http-cache"], {
      cwd,
      env,
      timeout: buildPatience,
    });
  });
}

/** Rejects, with a sentence, unless a port that a client fixes may be taken here. */
async function findPort(port: number): Promise<void> {
  if (process.env["CI"] !== "true") throw new Error(`port ${port} is taken in .ci/run alone, with CI=true`);
  const server = createServer();
  server.listen(port, "localhost");
  try {
    await once(server, "listening");
  } catch (error) {
    throw new Error(`another program has port ${port}, or this user may not take it`, { cause: error });
  }
  server.close();
  await once(server, "close");
}

/** Everything outside Node that tests ask for, by the names that REQUIRE_PEERS takes. */
export const probes: Readonly<Record<PeerName, Probe>> = {
  curl: { needs: "curl on the path", find: () => answers("curl", ["--version"]) },
  jq: { needs: "jq on the path", find: () => answers("jq", ["--version"]) },
  cc: { needs: "a C compiler on the path", find: () => answers("cc", ["--version"]) },
  chromium: { needs: "chromium on the path", find: () => answers("chromium", ["--version"]) },
  npm: {
    needs: "the registry of npm",
    find: () =>
      answers("npm", ["view", `@bufbuild/buf@${pinned("package.json", /"@bufbuild\/buf": "([^"]+)"/)}`, "version"]),
  },
  python: { needs: "python3 with venv, and the registry of Python", find: findPython },
  java: { needs: "java 17 and mvn on the path, and the registry of Maven", find: findJava },
  go: { needs: "go 1.25 on the path, and the registry of Go", find: findGo },
  dotnet: { needs: "dotnet 10 on the path, and the registry of NuGet", find: findDotnet },
  mono: {
    needs: "mcs and mono on the path, e.g. mono-mcs and libmono-system-runtime-serialization4.0-cil of Debian",
    find: () => Promise.all([answers("mcs", ["--version"]), answers("mono", ["--version"])]),
  },
  "postgres-15": {
    needs: "the package postgresql-15 of Debian",
    find: () => answers("/usr/lib/postgresql/15/bin/postgres", ["--version"]),
  },
  pgbouncer: { needs: "the package pgbouncer of Debian", find: () => answers(pgbouncer, ["--version"]) },
  "port-443": { needs: "port 443 of this machine, and CI=true, as .ci/run has it", find: () => findPort(443) },
  "port-5671": { needs: "port 5671 of this machine, and CI=true, as .ci/run has it", find: () => findPort(5671) },
  rabbitmq: {
    needs: "the package rabbitmq-server of Debian",
    find: async () => {
      if (rabbitmqProgram === undefined) throw new Error("There is no rabbitmq-server in its usual places.");
    },
  },
};
