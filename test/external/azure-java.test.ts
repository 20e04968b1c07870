import { javaPeer } from "./installed.support.ts";
import { testOfficialClient } from "./official-peer.support.ts";

testOfficialClient({
  client: "the official Java client, azure-messaging-servicebus",
  command: ["java", ...javaPeer()],
});
