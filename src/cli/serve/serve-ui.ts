import type { HttpHandler } from "../../serve/server/http/http-handler.ts";
import type { Inspector } from "../../serve/inspector/inspector.ts";
import type { InspectorOptions } from "../../serve/inspector/inspector-options.ts";
import type { Terminal } from "../terminal.ts";

/** The mode of the inspector of `sobre serve`. */
export type UiMode = "read" | "change" | "off";

/** The engine of a store, and the directory for its re-drives. */
export type RedriveStore = Required<Pick<InspectorOptions, "engine" | "directory">>;

/** The inspector, which is loaded when somebody opens it; `store` is asked then. */
export function servedInspector(
  mode: Exclude<UiMode, "off">,
  terminal: Terminal,
  store: () => RedriveStore | undefined,
): HttpHandler & { close(): Promise<void> } {
  let made: Promise<Inspector> | undefined;
  const make = async (): Promise<Inspector> => {
    const [{ createInspector }, { commandSerializer }, { compression }, { auditTo }] = await Promise.all([
      import("../../serve/inspector/inspector.ts"),
      import("../codecs.ts"),
      import("../../client/stages/compression.ts"),
      import("./ui.ts"),
    ]);
    return createInspector({
      ...store(),
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
    async close() {
      await (await made)?.close();
    },
  };
}
