import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type PeerName, probes } from "./peer-probes.support.ts";

describe("the probes of peers", () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "sobre-probes-"));
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });

  /** Puts a program of the machine's shell before all others of its name. */
  function install(name: string, script: string): void {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o755);
    vi.stubEnv("PATH", `${folder}:${process.env["PATH"]}`);
  }

  it.each<[PeerName, string]>([
    ["python", "python3"],
    ["java", "java"],
    ["go", "go"],
    ["dotnet", "dotnet"],
    ["mono", "mono"],
    ["chromium", "chromium"],
    ["npm", "npm"],
  ])("say of %s that its program is missing", async (name, program) => {
    vi.stubEnv("PATH", folder);
    if (name === "mono") install("mcs", "exit 0");

    await expect(probes[name].find()).rejects.toThrow(`${program} is not on the path`);
  });

  it("ask Maven for the description of the package that the project pins", async () => {
    install("java", "exit 0");
    install("mvn", `while [ "$1" != -f ]; do shift; done; cat "$2" > ${folder}/asked.xml`);

    await probes.java.find();

    const asked = readFileSync(join(folder, "asked.xml"), "utf8").replaceAll(/\s/g, "");
    expect(asked).toMatch(/<artifactId>azure-messaging-servicebus<\/artifactId><version>[\d.]+<\/version><type>pom</);
  });

  it("say why a registry did not give its package, in one line", async () => {
    install("java", "exit 0");
    install("mvn", String.raw`printf '\033[1m[ERROR]\033[m Some problems\n[ERROR] Could not transfer it\n'; exit 1`);
    await expect(probes.java.find()).rejects.toThrow("mvn has failed: Could not transfer it");

    install("go", '[ "$1" = version ] || { echo "dial tcp: no such host" >&2; exit 1; }');
    await expect(probes.go.find()).rejects.toThrow("go has failed: dial tcp: no such host");
  });

  it("ask NuGet for a package that the .NET project's lock file pins", async () => {
    install("dotnet", `[ "$1" = --version ] || cat probe.csproj > ${folder}/asked.csproj`);

    await probes.dotnet.find();

    const asked = readFileSync(join(folder, "asked.csproj"), "utf8");
    expect(asked).toMatch(/<PackageDownload Include="Azure\.Core\.Amqp" Version="\[[\d.]+\]"/);
  });

  it("take no port outside .ci/run", async () => {
    vi.stubEnv("CI", "");

    await expect(probes["port-5671"].find()).rejects.toThrow("port 5671 is taken in .ci/run alone");
  });
});
