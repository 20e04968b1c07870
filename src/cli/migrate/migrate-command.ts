import { collect, type Command, commandOf, Option, type Session, wholeNumber, withLimitOptions } from "../commander.ts";
import { type EndpointOptions, openEndpoint, withEndpointOptions } from "../queue/endpoint.ts";
import { Misuse } from "../terminal.ts";
import type { MigrateOptions } from "./migrate.ts";

interface Options extends EndpointOptions, MigrateOptions {
  readonly queue?: string;
}

/** `sobre migrate`. */
export function migrateCommand({ terminal, finish }: Session): Command {
  const command = commandOf("migrate", {
    summary: "rewrite legacy messages, and report every loss",
    about: `Reads the payloads of .NET and Java, infers a schema for each type from all its
messages, writes each message as JSON, MessagePack or Protobuf, reads it again
and compares. Without --out this is a dry run. The source is never changed.`,
    examples: [
      "sobre migrate payloads                            a dry run, and its report",
      "sobre migrate dlq.ndjson --report dlq.html --schema-out schemas",
      "sobre migrate dlq.ndjson --out new.ndjson --quarantine unread",
    ],
    exits: `0 clean, 4 something is ambiguous, 5 something is lost, 6 a message
failed (the highest counts); 1 nothing to migrate, or stopped; 2 wrong usage.`,
  })
    .argument(
      "[SOURCE]",
      "payloads (a folder, or a file), captured envelopes (NDJSON), or an export of Service Bus Explorer",
    )
    .option("-q, --queue <ENTITY>", "peek at this queue instead of SOURCE; settles nothing")
    .addOption(
      new Option("-t, --to <F>", "the format to write")
        .choices(["json", "msgpack", "protobuf", "tagged-json"])
        .default("json"),
    )
    .option("-o, --out <FILE>", "write the migrated envelopes here, one per line")
    .option("--resume", "continue an interrupted --out")
    .option("--quarantine <DIR>", "copy messages that were not migrated here, unchanged")
    .option("--schema-out <DIR>", "write JSON Schema, .proto and TypeScript of each type")
    .option("-r, --report <FILE>", "also write it as .html, .json or .txt; may be repeated", collect)
    .option("-j, --json", "the report as JSON on standard output")
    .addOption(new Option("-i, --input <I>", "what the source holds").choices(["payloads", "captures"]))
    .option("--include <NAME>", "only these files of a folder, e.g. '*.bin'")
    .option("--content-type <CT>", "what the senders of payload files declared")
    .option("--contracts <PATH>", ".NET types: a file or folder; may be repeated", collect)
    .option("--time-zone <Z>", "the time zone of .NET's senders, e.g. Europe/Madrid")
    .option("--json-net", "resolve $type, $values and $ref of Json.NET")
    .addOption(new Option("--int64 <F>", "integers beyond 2^53 in JSON").choices(["text", "number"]).default("text"))
    .addOption(
      new Option("--decimal <F>", "decimals; default: JSON numbers stay numbers, others are text").choices([
        "text",
        "number",
      ]),
    )
    .option("--type-member <NAME>", "in JSON, write the type of each object as this member, e.g. kind")
    .option("--sample <N>", "only read the first N messages", wholeNumber("--sample", 1))
    .option("--no-unwrap", "leave JSON inside strings as text, and documents inside byte arrays as bytes")
    .option("--no-hex", "do not show bytes of payloads that failed")
    .option("--no-samples", "do not show a message of each type before and after");
  return withEndpointOptions(withLimitOptions(command, 75_000)).action(
    async (path: string | undefined, options: Options) => {
      const { migrateSource } = await import("./migrate.ts");
      const { queue, input, include, contentType, out, resume } = options;
      if ((path === undefined) === (queue === undefined))
        throw new Misuse("give a SOURCE, or a queue with --queue ENTITY");
      const ofSource = Object.entries({ input, include, "content-type": contentType });
      const stray = queue === undefined ? undefined : ofSource.find(([, value]) => value !== undefined);
      if (stray !== undefined) throw new Misuse(`--${stray[0]} applies to a SOURCE and cannot be used with --queue`);
      if (resume === true && out === undefined)
        throw new Misuse("--resume needs --out: a dry run leaves nothing to continue");
      if (options.typeMember !== undefined && options.to !== "json")
        throw new Misuse("--type-member is for --to json; tagged-json names types itself");
      const endpoint = queue === undefined ? undefined : await openEndpoint({ ...options, entity: queue });
      try {
        finish(await migrateSource({ ...options, path: path ?? queue ?? "", endpoint }, terminal));
      } finally {
        await endpoint?.engine.close().catch(() => undefined);
      }
    },
  );
}
