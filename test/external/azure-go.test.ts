import { goPeer } from "./installed.support.ts";
import { testOfficialClient } from "./official-peer.support.ts";

testOfficialClient({ client: "the official Go client, azservicebus", command: [goPeer] });
