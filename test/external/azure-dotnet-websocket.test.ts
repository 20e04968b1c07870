import { dotnetPeer } from "./installed.support.ts";
import { testOfficialClient } from "./official-peer.support.ts";

testOfficialClient({
  client: "the official .NET client over WebSockets, which reaches port 443 alone",
  command: ["env", "TRANSPORT=websockets", "dotnet", dotnetPeer],
  fixedPort: 443,
  leastScenarios: 60,
});
