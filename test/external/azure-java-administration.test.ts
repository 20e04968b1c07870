import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { selfSignedCertificate, startServer } from "../../src/serve/server/index.ts";
import { javaPeer } from "./installed.support.ts";
import { programsOf, runProgram } from "./page-programs.support.ts";

it("serves the administration client of Java, which reaches port 443 alone", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sobre-java-"));
  const tls = selfSignedCertificate();
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
  expect(await programOfThePage(server.connectionString, certificate, folder)).toBe("3\n");
  rmSync(folder, { recursive: true });
}, 150_000);

/** Runs the administration that docs/clients.md shows, with the trust store that it makes. */
async function programOfThePage(connectionString: string, certificate: string, home: string): Promise<string> {
  const variables = {
    SERVICEBUS_CONNECTION_STRING: connectionString,
    SERVER_CERTIFICATE: certificate,
    HOME: home,
  };
  const [commands = ""] = programsOf("clients.md", "Java", "sh");
  const [, program = ""] = programsOf("clients.md", "Java", "java");
  const options = await runProgram(
    "sh",
    `${commands.replaceAll("trusted.p12", "page.p12")}printf %s "$JAVA_TOOL_OPTIONS"`,
    variables,
  );
  return runProgram("java", program, {
    ...variables,
    JAVA_TOOL_OPTIONS: options.replace("page.p12", join(home, "page.p12")),
  });
}
