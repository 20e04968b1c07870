import type { MessageType } from "../message/message-type.ts";
import { checkOptions } from "../options/option-checks.ts";
import { requestChecks, requesterChecks, type RequesterOptions, type RequestManyOptions } from "./requester.ts";

/**
 * The options of a request that has a requester of its own, taken apart for the two.
 *
 * @throws SobreError `InvalidArgument` naming the option.
 */
export function oneRequest<Types extends readonly MessageType[]>(
  options: RequesterOptions<Types> & RequestManyOptions,
): readonly [RequesterOptions<Types>, RequestManyOptions] {
  checkOptions(options, { ...requesterChecks, ...requestChecks }, { needed: ["replyTo"] });
  const { replyTo, receiveFrom, replyToSessionId, messageTypes, onError, ...request } = options;
  return [{ replyTo, receiveFrom, replyToSessionId, messageTypes, onError }, request];
}
