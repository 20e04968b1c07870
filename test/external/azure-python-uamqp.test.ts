import { fileURLToPath } from "node:url";
import { uamqpPython } from "./installed.support.ts";
import { testOfficialClient } from "./official-peer.support.ts";

const script = fileURLToPath(new URL("azure_servicebus_peer.py", import.meta.url));

testOfficialClient({
  client: "azure-servicebus 7.8.2, on the uAMQP library",
  command: [uamqpPython, script],
  fixedPort: 5671,
  departures: {
    // It compares the time of the lock itself, and sends nothing.
    "a-lock-that-is-lost": /ServiceBusError: The lock on the message lock has expired/,
    // Its detached links are connection errors to it, whatever the condition.
    "a-queue-that-is-missing": /ServiceBusCommunicationError: The messaging entity 'not-there' could not be found/,
  },
});
