import { expect, it } from "vitest";
import { connectionString } from "../../../src/serve/server/connection-string.ts";

it.each([
  ["localhost", "sb://localhost:5672"],
  ["broker.test", "sb://broker.test:5672"],
  ["fe80::1", "sb://[fe80::1]:5672"],
  ["0.0.0.0", "sb://localhost:5672"],
  ["::", "sb://localhost:5672"],
])("a server that listens on %s is reached at %s", (host, endpoint) => {
  const text = connectionString({ host, port: 5672, keyName: "name", key: "key" });

  expect(text).toBe(`Endpoint=${endpoint};SharedAccessKeyName=name;SharedAccessKey=key;UseDevelopmentEmulator=true`);
});
