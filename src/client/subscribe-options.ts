import { invalidOption } from "../options/option-checks.ts";
import { checkOptionNames, type OptionNames } from "../options/option-names.ts";
import type { ProcessorOptions } from "./processor.ts";

/** Options of `subscribe`. In a session, the locks are the session's, which has its own renewal. */
export type SubscribeOptions = Omit<ProcessorOptions, "receiveMode" | "messageTypes">;

const subscribeNames: OptionNames<SubscribeOptions> = {
  maxConcurrentCalls: true,
  autoCompleteMessages: true,
  prefetchCount: true,
  maxAutoLockRenewalDurationInMs: true,
};

/** @throws SobreError `InvalidArgument` naming the option that is the receiver's own, or none. */
export function checkSubscribe(options: SubscribeOptions | undefined, isSession: boolean): void {
  if (options === undefined) return;
  checkOptionNames(options, subscribeNames);
  if (isSession && options.prefetchCount !== undefined && options.prefetchCount !== 0)
    throw invalidOption("prefetchCount", "is not for sessions, whose messages are received one after the other");
}
