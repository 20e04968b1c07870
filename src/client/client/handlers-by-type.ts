import { isObject } from "../../core/values/plain-object.ts";
import { SobreError } from "../../core/errors/sobre-error.ts";
import { invalidOption } from "../../core/options/option-checks.ts";
import type { MessageType } from "../../core/message/message-type.ts";

/** Called with a message; a method's type, so that a handler of all messages also serves some. */
export type Handler<Message, Context, Result> = {
  handle(message: Message, context: Context): Result;
}["handle"];

/** The names of the types of messages; `never` for messages without types. */
type MessageTypeNameOf<Message> = Message extends { readonly messageType: infer Name extends string } ? Name : never;

/**
 * A handler for each message type, by its name; one that is missing does not compile. `never` where the compiler does
 * not know the names.
 */
export type HandlersByType<Message, Context, Result> = [MessageTypeNameOf<Message>] extends [never]
  ? never
  : string extends MessageTypeNameOf<Message>
    ? never
    : {
        readonly [Name in MessageTypeNameOf<Message>]: Handler<
          Extract<Message, { readonly messageType: Name }>,
          Context,
          Result
        >;
      };

/** One handler for all messages, or one for each message type. */
export type HandlerOrByType<Message, Context, Result> =
  | Handler<Message, Context, Result>
  | HandlersByType<Message, Context, Result>;

/** @throws SobreError `InvalidArgument` naming what is missing or too much. */
export function checkHandler(option: string, handler: unknown, messageTypes: readonly MessageType[] = []): void {
  if (typeof handler === "function") return;
  if (!isObject(handler)) throw invalidOption(option, "must be a function, or an object of functions by message type");
  const names = messageTypes.map(({ name }) => name);
  if (names.length === 0) throw invalidOption(option, "must be a function, unless messageTypes are given");
  for (const name of names)
    if (!Object.hasOwn(handler, name) || typeof handler[name] !== "function")
      throw invalidOption(option, `must have a function for the message type ${JSON.stringify(name)}`);
  const surplus = Object.keys(handler).find((name) => !names.includes(name));
  if (surplus !== undefined)
    throw invalidOption(option, `has ${JSON.stringify(surplus)}, which is not the name of one of the messageTypes`);
}

/** The checked handlers as one function; each is called as the method that it is, of its owner or of the object by type. */
export function boundHandler<Message extends { readonly messageType: string | undefined }, Context, Result>(
  owner: object,
  handlers: HandlerOrByType<Message, Context, Result>,
): (message: Message, context: Context) => Result {
  if (isFunction<Message, Context, Result>(handlers))
    return (message, context) => handlers.call(owner, message, context);
  return (message, context) => {
    const handler: unknown = Reflect.get(handlers, String(message.messageType));
    if (isFunction<Message, Context, Result>(handler)) return handler.call(handlers, message, context);
    throw new SobreError("UnknownMessageType", "There is no handler for the type of this message.");
  };
}

function isFunction<Message, Context, Result>(handler: unknown): handler is Handler<Message, Context, Result> {
  return typeof handler === "function";
}
