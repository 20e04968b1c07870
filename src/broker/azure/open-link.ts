import type { DeliveryState } from "../../wire/amqp/connection/delivery-state.ts";
import type { Disposition } from "../../wire/amqp/connection/performative.ts";
import type { IncomingDelivery, ReceivingLink } from "../../wire/amqp/connection/receiving-link.ts";
import type { SendingLink } from "../../wire/amqp/connection/sending-link.ts";
import type { WireError } from "../../wire/amqp/connection/wire-fault.ts";
import type { SobreError } from "../../core/errors/sobre-error.ts";
import { brokerError, connectionLost } from "./broker-errors.ts";
import type { ClientSession } from "./client-connection.ts";
import { inTime, type Timing } from "./timing.ts";

type Setup = Parameters<ReceivingLink["open"]>[0];
type RemoteAttach = NonNullable<ReceivingLink["remote"]>;

/** Callbacks of a link in either role. */
interface CommonEvents {
  /** Called once when an open link has ended, whichever side ended it. */
  readonly gone: (error: SobreError) => void;
  /** Called when both sides have detached the link. */
  readonly closed?: (() => void) | undefined;
}

/** Callbacks of a receiving link. */
export interface ReceivingEvents extends CommonEvents {
  readonly delivered: (delivery: IncomingDelivery, link: ReceivingLink) => void;
  readonly drained?: (() => void) | undefined;
  readonly confirmed?: ((disposition: Disposition) => void) | undefined;
}

/** Callbacks of a sending link. */
export interface SendingEvents extends CommonEvents {
  readonly flowed: () => void;
  readonly disposed: (state: DeliveryState | undefined, context: unknown) => void;
}

/** A link to open. */
export interface LinkRequest<Events> {
  readonly name: string;
  readonly setup: Setup;
  readonly events: Events;
  readonly timing: Timing;
  /** Additional milliseconds for the broker to answer. Default: 0. */
  readonly wait?: number | undefined;
  /** Aborts the request. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** Opens a receiving link; resolves when the broker has attached it. @throws SobreError the broker's refusal. */
export function openReceiving(session: ClientSession, request: LinkRequest<ReceivingEvents>): Promise<ReceivingLink> {
  const { name, setup, events } = request;
  const link = session.links.newReceiver(name);
  return asking(link, request, (callbacks) =>
    link.open(setup, {
      ...callbacks,
      delivered: (delivery) => events.delivered(delivery, link),
      drained: () => events.drained?.(),
      confirmed: (disposition) => events.confirmed?.(disposition),
    }),
  );
}

/** Opens a sending link; resolves when the broker has attached it. @throws SobreError the broker's refusal. */
export function openSending(session: ClientSession, request: LinkRequest<SendingEvents>): Promise<SendingLink> {
  const { name, setup, events } = request;
  const link = session.links.newSender(name);
  return asking(link, request, (callbacks) =>
    link.open(setup, {
      ...callbacks,
      flowed: () => events.flowed(),
      disposed: (delivery, state, settled) => {
        if (!settled && state !== undefined) link.settle(delivery, state);
        events.disposed(state, delivery.context);
      },
    }),
  );
}

/** Callbacks from the connection that both roles share. */
interface LinkCallbacks {
  readonly attached: (attach: RemoteAttach) => void;
  readonly detached: (error: WireError | undefined) => void;
  readonly closed: () => void;
}

function asking<L extends ReceivingLink | SendingLink>(
  link: L,
  { events, abortSignal, timing, wait }: LinkRequest<CommonEvents>,
  open: (callbacks: LinkCallbacks) => void,
): Promise<L> {
  const attached = new Promise<L>((resolve, reject) => {
    if (abortSignal?.aborted === true) {
      reject(connectionLost("the wait was aborted."));
      return;
    }
    let opened = false;
    const aborted = (): void => {
      link.detach();
      reject(connectionLost("the wait was aborted."));
    };
    abortSignal?.addEventListener("abort", aborted, { once: true });
    open({
      attached(attach) {
        // A refusal comes as an attach without terminus, with the detach right after it.
        if ((link.role === "receiver" ? attach.source : attach.target) === undefined) return;
        opened = true;
        abortSignal?.removeEventListener("abort", aborted);
        resolve(link);
      },
      detached(error) {
        const reason = error === undefined ? connectionLost("the broker closed the link.") : brokerError(error);
        abortSignal?.removeEventListener("abort", aborted);
        if (opened) events.gone(reason);
        else reject(reason);
      },
      closed: () => events.closed?.(),
    });
  });
  return inTime(timing, "the attach of a link", attached, wait);
}

/** Milliseconds that a link that is given up waits for its broker, at most. */
const detachTimeOut = 5000;

/** Detaches a link; resolves when the broker has confirmed it, or does not answer in time. */
export async function detached(
  link: ReceivingLink | SendingLink,
  closed: Promise<void>,
  timing: Timing,
): Promise<void> {
  link.detach();
  const { clock, answer } = timing;
  await inTime({ clock, answer: Math.min(answer, detachTimeOut) }, "the detach of a link", closed).catch(
    () => undefined,
  );
}
