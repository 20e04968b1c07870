import { dotnetPeer } from "./installed.support.ts";
import { testOfficialClient } from "./official-peer.support.ts";

testOfficialClient({
  client: "the official .NET client, Azure.Messaging.ServiceBus",
  command: ["dotnet", dotnetPeer],
  leastScenarios: 60,
});
