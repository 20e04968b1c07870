import type { HttpHandler } from "../server/http/http-handler.ts";
import type { Inspector } from "../inspector/inspector.ts";
import type { Terminal } from "./terminal.ts";

/** The mode of the inspector of `sobre serve`. */
export type UiMode = "read" | "change" | "off";

/** The inspector, which is loaded when somebody opens it. */
export function servedInspector(mode: Exclude<UiMode, "off">, terminal: Terminal): HttpHandler {
  let made: Promise<Inspector> | undefined;
  const make = async (): Promise<Inspector> => {
    const [{ createInspector }, { commandSerializer }, { compression }, { auditTo }] = await Promise.all([
      import("../inspector/inspector.ts"),
      import("./codecs.ts"),
      import("../stages/compression.ts"),
      import("./ui.ts"),
    ]);
    return createInspector({
      serializer: await commandSerializer({}),
      stages: [compression()],
      changes: mode === "change",
      onAudit: auditTo(terminal),
    });
  };
  return {
    path: "$ui",
    async answer(request, grant) {
      made ??= make();
      return (await made).answer(request, grant);
    },
  };
}
