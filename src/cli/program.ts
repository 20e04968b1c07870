import { contractCommand } from "./contract/contract-command.ts";
import { Command, CommanderError, Help, helpColumns, type Option, type Session } from "./commander.ts";
import { decodeCommand, encodeCommand, inspectCommand } from "./decode/decode-commands.ts";
import { oneLine } from "./display.ts";
import { migrateCommand } from "./migrate/migrate-command.ts";
import { dlqCommand } from "./queue/dlq-command.ts";
import { entityCommand, ruleCommand } from "./queue/entity-command.ts";
import { captureCommand, peekCommand, receiveCommand, sendCommand } from "./queue/message-commands.ts";
import { serveCommand, uiCommand } from "./serve/serve-command.ts";
import { postgresCommand, storeCommand } from "./store/store-commands.ts";
import { exitCodes, Misuse, type Terminal } from "./terminal.ts";
import { tourCommand } from "./tour/tour-command.ts";

/** The name and version that `--version` prints. */
export interface Product {
  readonly version: string;
  /** The mailbox that `sobre tour` visits when no folder is named. */
  readonly mailbox: string;
}

type MakeCommand = (session: Session, product: Product) => Command;

/** The commands in the order of the overall help. */
const makers: Readonly<Record<string, MakeCommand>> = {
  tour: (session, { mailbox }) => tourCommand(mailbox, session),
  decode: decodeCommand,
  encode: encodeCommand,
  serve: serveCommand,
  ui: uiCommand,
  store: storeCommand,
  postgres: postgresCommand,
  send: sendCommand,
  receive: receiveCommand,
  peek: peekCommand,
  capture: captureCommand,
  dlq: dlqCommand,
  queue: (session) => entityCommand("queue", session),
  topic: (session) => entityCommand("topic", session),
  subscription: (session) => entityCommand("subscription", session),
  rule: ruleCommand,
  inspect: inspectCommand,
  contract: contractCommand,
  migrate: migrateCommand,
};

/** Runs one command line (without the program's own name); resolves to the exit code. A command's modules are loaded when it runs. */
export async function run(args: readonly string[], product: Product, terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.done;
  const session: Session = { terminal, finish: (code) => void (exitCode = code) };
  const program = frame(product, terminal);
  const [name = ""] = args;
  // Creating all commands takes longer than running most of them.
  const asked = Object.hasOwn(makers, name) ? [makers[name]] : Object.values(makers);
  for (const make of asked) {
    const command = make?.(session, product);
    if (command !== undefined) program.addCommand(command, { hidden: withOthers.has(command.name()) });
  }
  for (const command of program.commands.flatMap(withInner))
    command.copyInheritedSettings(program).helpOption("-h, --help", "show this");
  try {
    const asking = args[0] === "help" ? [...args.slice(1), "--help"] : args;
    if (asking.some((one) => one === "--help" || one === "-h")) checkNames(program, asking);
    await program.parseAsync(asking, { from: "user" });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.misuse;
    if (!(error instanceof Misuse)) throw error;
    terminal.err(`sobre: ${oneLine(error.message)}\n`);
    return exitCodes.misuse;
  }
}

/** Refuses a misspelt command that help is asked for, where commander would show the help of the commands above it. */
function checkNames(command: Command, [name = "-", ...rest]: readonly string[]): void {
  if (command.commands.length === 0 || name.startsWith("-") || name === "help") return;
  const inner = command.commands.find((one) => one.name() === name || one.aliases().includes(name));
  if (inner === undefined) throw new Misuse(`unknown command '${name}'`);
  checkNames(inner, rest);
}

/** A command with its subcommands. */
function withInner(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withInner)];
}

/** Left out of the overall help, so that it fits on a screen; the lines of `decode`, `serve` and `queue` mention them. */
const withOthers: ReadonlySet<string> = new Set(["encode", "store", "postgres", "topic", "subscription", "rule"]);

function frame({ version }: Product, terminal: Terminal): Command {
  return new Command("sobre")
    .description("Decodes message payloads with the right codec, or reports every attempt.")
    .version(version, "-V, --version", "show the version")
    .helpOption("-h, --help", "show this")
    .helpCommand(false)
    .exitOverride()
    .configureHelp({ helpWidth: helpColumns, minWidthToWrap: 20, subcommandTerm: nameOnly, visibleOptions })
    .configureOutput({
      writeOut: (text) => void terminal.out(text),
      writeErr: (text) => terminal.err(text),
      outputError: (text, write) => write(complaint(text)),
    })
    .addHelpText(
      "after",
      `
Examples:
  sobre decode order.bin     which codec reads it; sobre help decode says more

Exit codes: 0 done, 1 something unread, 2 wrong usage, 3 output not written.`,
    );
}

/** All commands must fit on a screen, which leaves no room for the options of version and help. */
function visibleOptions(command: Command): Option[] {
  return command.parent === null ? [] : new Help().visibleOptions(command);
}

/** Each command's own help describes its arguments; here they would wrap the lines. */
function nameOnly(command: Command): string {
  return command.name();
}

/** The usage error that commander reports, on one line; it may quote arguments. */
function complaint(text: string): string {
  const line = text
    .replace(/^error: /, "sobre: ")
    .trimEnd()
    .replaceAll("\n", " ");
  return `${oneLine(line)}\n`;
}
