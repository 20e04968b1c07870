import { fileURLToPath } from "node:url";
import { protonPython } from "./installed.support.ts";
import { testOfficialClient } from "./official-peer.support.ts";

const script = fileURLToPath(new URL("proton_peer.py", import.meta.url));

testOfficialClient({ client: "qpid-proton", command: [protonPython, script] });
