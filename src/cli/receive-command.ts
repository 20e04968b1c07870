import { Command, type Finish, textOf } from "./commander.ts";
import { countOf, type EndpointOptions, openEndpoint, withEndpointOptions } from "./endpoint.ts";
import { Misuse } from "./misuse.ts";
import { schemaOptions, type SchemaOptions, withSchemaOptions } from "./schema-options.ts";
import type { Terminal } from "./terminal.ts";

/** Options as commander parses them, by long name in camelCase. */
interface Options extends EndpointOptions, SchemaOptions {
  readonly max?: unknown;
  readonly wait?: unknown;
  readonly session?: unknown;
  readonly nextSession?: unknown;
  readonly out?: unknown;
  readonly complete?: unknown;
  readonly json?: unknown;
}

/** `sobre receive`. */
export function receiveCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("receive")
    .summary("take messages off a queue")
    .description(
      "Receives from ENTITY and completes a message only after it was written. What no\n" +
        "codec reads goes back, unless --json or --out keeps all of it.",
    )
    .argument("[ENTITY]")
    .option("-n, --max <N>", "maximum number of messages", "1")
    .option("-w, --wait <S>", "seconds to wait for the next one", "5")
    .option("--session <ID>", "of this session")
    .option("--next-session", "of the next session that is free")
    .option("-o, --out <FILE>", "append the envelopes to a file, one a line")
    .option("-j, --json", "one line of JSON per message, with its envelope")
    .option("--no-complete", "give them back, which counts a delivery");
  return withEndpointOptions(withSchemaOptions(command))
    .addHelpText(
      "after",
      `
Examples:
  sobre receive orders --max 100 --out orders.ndjson

Exit codes: 0 done, 1 one was not read, or the broker refused, 2 wrong usage.`,
    )
    .action(async (entity: string | undefined, options: Options) => {
      const seconds = Number(options.wait ?? 5);
      if (!(seconds >= 0) || !Number.isFinite(seconds)) throw new Misuse("--wait must be a number of seconds");
      if (options.session !== undefined && options.nextSession === true)
        throw new Misuse("--session and --next-session exclude each other");
      const request = {
        max: countOf(options.max, "--max") ?? 1,
        wait: seconds * 1000,
        session: options.nextSession === true ? "next" : options.session === undefined ? "none" : "named",
        sessionId: textOf(options.session),
        out: textOf(options.out),
        complete: options.complete !== false,
        json: options.json === true,
      } as const;
      const { receiveMessages } = await import("./receive.ts");
      const { commandSerializer } = await import("./codecs.ts");
      const serializer = await commandSerializer(schemaOptions(options));
      finish(await receiveMessages(await openEndpoint(options, entity), request, { serializer, terminal }));
    });
}
