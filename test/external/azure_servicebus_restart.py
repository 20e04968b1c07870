"""Goes on with the official Python client after its server has started again."""

import sys

from azure.servicebus import ServiceBusMessage


def restart(client, _):
    """Prints `ready` when its links are open, and waits for a line: by then the server has started again."""
    bodies = []

    def receive(receiver):
        while True:
            for message in receiver.receive_messages(max_wait_time=5):
                bodies.append(str(message))
                receiver.complete_message(message)
                return

    with client.get_queue_sender("q") as sender, client.get_queue_receiver("q") as receiver:
        sender.send_messages(ServiceBusMessage("before"))
        receive(receiver)
        with client.get_queue_receiver("s", session_id="a") as session:
            session.session.set_state("state of the session")
        print("ready", flush=True)
        sys.stdin.readline()
        sender.send_messages(ServiceBusMessage("after"))
        receive(receiver)
        sender.send_messages(ServiceBusMessage("later"))
        receive(receiver)
        print(" ".join(bodies), flush=True)
        with client.get_queue_receiver("s", session_id="a") as session:
            print(session.session.get_state().decode(), flush=True)
