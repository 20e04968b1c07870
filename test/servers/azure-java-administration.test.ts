import { execFileSync, execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { selfSigned, startServer } from "../../src/server/index.ts";
import { javaPeer } from "./installed.support.ts";

it("serves the administration client of Java, which reaches port 443 alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sobre-java-"));
  const tls = selfSigned();
  const certificate = join(folder, "certificate.pem");
  const store = join(folder, "trusted.p12");
  writeFileSync(certificate, tls.cert);
  const trusted = ["-keystore", store, "-storetype", "PKCS12", "-storepass", "changeit"];
  execFileSync("keytool", ["-importcert", "-noprompt", "-alias", "sobre", "-file", certificate, ...trusted], {
    stdio: "ignore",
  });
  await using server = await startServer({ tls, port: 443 });

  const trust = [`-Djavax.net.ssl.trustStore=${store}`, "-Djavax.net.ssl.trustStorePassword=changeit"];
  const args = [...trust, ...javaPeer(), "--administration", server.connectionString, certificate, ""];
  const { stdout } = await promisify(execFile)("java", args, { timeout: 120_000 });

  const lines: unknown[] = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const names = [
    "queues",
    "counts-of-a-queue",
    "lists-of-many-queues",
    "topics-subscriptions-and-rules",
    "errors",
    "the-namespace",
  ];
  expect(lines).toEqual(names.map((name) => ({ name })));
  rmSync(folder, { recursive: true });
}, 150_000);
