import { Command, type Finish, textOf } from "./commander.ts";
import { countOf, type EndpointOptions, openEndpoint, sequenceOf, withEndpointOptions } from "./endpoint.ts";
import { schemaOptions, type SchemaOptions, withSchemaOptions } from "./schema-options.ts";
import type { Terminal } from "./terminal.ts";

/** Options as commander parses them, by long name in camelCase. */
interface Options extends EndpointOptions, SchemaOptions {
  readonly from?: unknown;
  readonly max?: unknown;
  readonly session?: unknown;
  readonly json?: unknown;
}

/** `sobre peek`. */
export function peekCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("peek")
    .summary("look at messages without receiving them")
    .description(
      "Shows messages of ENTITY, a queue or subscription, decoded by every codec.\n" +
        "Nothing is locked, counted or taken away.",
    )
    .argument("[ENTITY]")
    .option("-n, --max <N>", "maximum number of messages", "10")
    .option("--from <SEQ>", "the sequence number to begin with")
    .option("--session <ID>", "only messages of this session")
    .option("-j, --json", "one line of JSON per message, with its envelope");
  return withEndpointOptions(withSchemaOptions(command))
    .addHelpText(
      "after",
      `
Examples:
  sobre peek orders --max 3
  sobre peek 'orders/$DeadLetterQueue' --json | jq .deadLetterReason

Exit codes: 0 all was read, 1 one was not, or the broker refused, 2 wrong usage.`,
    )
    .action(async (entity: string | undefined, options: Options) => {
      const request = {
        max: countOf(options.max, "--max") ?? 10,
        from: sequenceOf(options.from, "--from"),
        session: textOf(options.session),
        json: options.json === true,
      };
      const { peekMessages } = await import("./peek.ts");
      const { commandSerializer } = await import("./codecs.ts");
      const serializer = await commandSerializer(schemaOptions(options));
      finish(await peekMessages(await openEndpoint(options, entity), request, { serializer, terminal }));
    });
}
