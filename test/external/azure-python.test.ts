import { fileURLToPath } from "node:url";
import { python } from "./installed.support.ts";
import { testOfficialClient } from "./official-peer.support.ts";

const script = fileURLToPath(new URL("azure_servicebus_peer.py", import.meta.url));

testOfficialClient({ client: "the official Python client, azure-servicebus", command: [python, script] });
