import { Command, type Finish, sequenceNumber, wholeNumber } from "../commander.ts";
import { type EndpointOptions, openEndpoint, withEndpointOptions } from "./endpoint.ts";
import type { PeekRequest } from "./peek.ts";
import { type SchemaOptions, withSchemaOptions } from "../schema-options.ts";
import type { Terminal } from "../terminal.ts";

/** `sobre peek`. */
export function peekCommand(terminal: Terminal, finish: Finish): Command {
  const command = new Command("peek")
    .summary("look at messages without receiving them")
    .description(
      "Shows messages of ENTITY, a queue or subscription, decoded by every codec.\n" +
        "No message is locked, counted or removed.",
    )
    .argument("[ENTITY]")
    .option("-n, --max <N>", "maximum number of messages", wholeNumber("--max", 1), 10)
    .option("--from <SEQ>", "the sequence number to start with", sequenceNumber("--from"))
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
    .action(async (entity: string | undefined, options: EndpointOptions & SchemaOptions & PeekRequest) => {
      const { peekMessages } = await import("./peek.ts");
      const { commandSerializer } = await import("../codecs.ts");
      const serializer = await commandSerializer(options);
      finish(await peekMessages(await openEndpoint(options, entity), options, { serializer, terminal }));
    });
}
