"""qpid-proton, a general AMQP 1.0 client that knows nothing of Service Bus, against a server of ours, scenario by scenario.

`--list` prints each scenario with the entities that it needs, as JSON; otherwise the connection string and the file of
the server's certificate are given, and one line of JSON comes out for each scenario: its name, and the error if it failed.
"""

import json
import re
import sys
import traceback
import uuid

SCENARIOS = {}
WAIT = 10
# This client reports an outcome by its number.
REJECTED = str(0x25)


def scenario(**entities):
    """Registers a scenario; a queue of its own name is there for it, with the settings given."""

    def register(function):
        name = function.__name__.replace("_", "-")
        SCENARIOS[name] = (function, entities)
        return function

    return register


def equal(actual, expected):
    if actual != expected:
        raise AssertionError("expected %r, and it is %r" % (expected, actual))


def refused(text, act):
    try:
        act()
    except Exception as error:
        if text not in str(error):
            raise AssertionError("expected %r in %r" % (text, str(error)))
        return
    raise AssertionError("expected %r, and nothing was refused" % text)


def round_trip(peer, queue, message):
    connection = peer.connect()
    connection.create_sender(queue).send(message)
    receiver = connection.create_receiver(queue, credit=1)
    received = receiver.receive(timeout=WAIT)
    receiver.accept()
    return received


def body_comes_back(peer, queue, body, inferred=False):
    message = round_trip(peer, queue, Message(body=body, inferred=inferred))
    # Bytes are a view into the message.
    received = bytes(message.body) if isinstance(message.body, memoryview) else message.body
    equal(received, body)
    equal(type(received), type(body))


def numbers(peer, queue, count):
    """Sends messages whose ids are their numbers."""
    sender = peer.connect().create_sender(queue)
    for number in range(count):
        sender.send(Message(id=str(number), body=number))


def is_empty(peer, queue):
    receiver = peer.connect().create_receiver(queue, credit=1)
    try:
        receiver.receive(timeout=0.2)
    except Timeout:
        return True
    return False


# Bodies.


@scenario()
def text_value(peer, queue):
    body_comes_back(peer, queue, "añil 漢 🚀")


@scenario()
def data_section(peer, queue):
    body_comes_back(peer, queue, bytes(range(256)), inferred=True)


@scenario()
def binary_value(peer, queue):
    body_comes_back(peer, queue, b"\x00\xff" * 40)


@scenario()
def sequence_section(peer, queue):
    body_comes_back(peer, queue, [1, "two", None, [3]], inferred=True)


@scenario()
def list_value(peer, queue):
    body_comes_back(peer, queue, ["one", ["two", ["three"]]])


@scenario()
def map_value(peer, queue):
    body_comes_back(peer, queue, {"a": 1, "b": {"c": [True, None]}, 7: "seven"})


@scenario()
def null_value(peer, queue):
    equal(round_trip(peer, queue, Message(id="null")).body, None)


@scenario()
def empty_data(peer, queue):
    body_comes_back(peer, queue, b"", inferred=True)


@scenario()
def unsigned_integers(peer, queue):
    body_comes_back(peer, queue, [ubyte(255), ushort(65535), uint(4294967295), ulong(18446744073709551615)])


@scenario()
def signed_integers(peer, queue):
    body_comes_back(peer, queue, [byte(-128), short(-32768), int32(-2147483648), -9223372036854775808])


@scenario()
def floating_point(peer, queue):
    body_comes_back(peer, queue, [1e300, 0.1, float32(0.5)])


@scenario()
def decimals(peer, queue):
    body_comes_back(peer, queue, [decimal32(1), decimal64(2), decimal128(b"\x22" * 16)])


@scenario()
def other_scalars(peer, queue):
    body_comes_back(peer, queue, [True, char("漢"), timestamp(1700000000123), uuid.UUID(int=7), symbol("a-symbol")])


@scenario()
def array(peer, queue):
    body_comes_back(peer, queue, Array(UNDESCRIBED, Data.INT, 1, 2, 3))


@scenario()
def described_value(peer, queue):
    body_comes_back(peer, queue, Described(symbol("example:point"), [1, 2]))


# Sections.


@scenario()
def properties(peer, queue):
    sent = Message(
        id="id",
        user_id=b"user",
        address="to",
        subject="subject",
        reply_to="reply-to",
        correlation_id="correlation",
        content_type="application/json",
        content_encoding="identity",
        creation_time=1700000000.123,
        body=b"{}",
        inferred=True,
    )
    received = round_trip(peer, queue, sent)
    for name in ("id", "user_id", "address", "subject", "reply_to", "correlation_id", "content_type", "creation_time"):
        equal(getattr(received, name), getattr(sent, name))


@scenario()
def ids_of_every_type(peer, queue):
    connection = peer.connect()
    sender = connection.create_sender(queue)
    receiver = connection.create_receiver(queue, credit=4)
    for identifier in ("text", ulong(7), uuid.UUID(int=9), b"\x01\x02"):
        sender.send(Message(id=identifier, correlation_id=identifier))
        received = receiver.receive(timeout=WAIT)
        receiver.accept()
        equal((received.id, received.correlation_id), (identifier, identifier))


@scenario()
def application_properties(peer, queue):
    sent = {
        "text": "añil",
        "true": True,
        "int": int32(-7),
        "long": 1 << 60,
        "ulong": ulong(1 << 63),
        "double": 0.1,
        "uuid": uuid.UUID(int=3),
        "time": timestamp(1700000000123),
        "bytes": b"\x00\x01",
    }
    equal(round_trip(peer, queue, Message(properties=sent)).properties, sent)


@scenario()
def header(peer, queue):
    received = round_trip(peer, queue, Message(durable=True, priority=7, ttl=60.0))
    equal((received.durable, received.priority, received.ttl), (True, 7, 60.0))


@scenario()
def annotations_of_the_broker(peer, queue):
    received = round_trip(peer, queue, Message(annotations={symbol("x-opt-partition-key"): "key"}))
    equal(received.annotations[symbol("x-opt-partition-key")], "key")
    equal(received.annotations[symbol("x-opt-sequence-number")], 1)
    if symbol("x-opt-locked-until") not in received.annotations:
        raise AssertionError("the message has no x-opt-locked-until")


@scenario()
def message_of_many_frames(peer, queue):
    body_comes_back(peer, queue, bytes(range(250)) * 3000, inferred=True)


@scenario()
def thousand_messages_in_order(peer, queue):
    connection = peer.connect()
    sender = connection.create_sender(queue)
    receiver = connection.create_receiver(queue, credit=100)
    for number in range(1000):
        sender.send(Message(body=number))
    for number in range(1000):
        equal(receiver.receive(timeout=WAIT).body, number)
        receiver.accept()


# Outcomes.


@scenario()
def accept_removes(peer, queue):
    round_trip(peer, queue, Message(body="x"))
    equal(is_empty(peer, queue), True)


@scenario()
def release_counts_nothing(peer, queue):
    numbers(peer, queue, 1)
    receiver = peer.connect().create_receiver(queue, credit=1)
    receiver.receive(timeout=WAIT)
    receiver.release(delivered=False)
    equal(receiver.receive(timeout=WAIT).delivery_count, 0)


@scenario()
def modified_counts_a_delivery(peer, queue):
    numbers(peer, queue, 1)
    receiver = peer.connect().create_receiver(queue, credit=1)
    receiver.receive(timeout=WAIT)
    receiver.release(delivered=True)
    equal(receiver.receive(timeout=WAIT).delivery_count, 1)


@scenario()
def reject_dead_letters(peer, queue):
    numbers(peer, queue, 1)
    connection = peer.connect()
    receiver = connection.create_receiver(queue, credit=1)
    receiver.receive(timeout=WAIT)
    receiver.reject()
    dead = connection.create_receiver(queue + "/$DeadLetterQueue", credit=1).receive(timeout=WAIT)
    equal(dead.id, "0")


@scenario()
def settled_delivery_is_gone(peer, queue):
    numbers(peer, queue, 1)
    receiver = peer.connect().create_receiver(queue, credit=1, options=AtMostOnce())
    equal(receiver.receive(timeout=WAIT).id, "0")
    equal(is_empty(peer, queue), True)


@scenario()
def delivery_settled_by_the_sender(peer, queue):
    sender = peer.connect().create_sender(queue, options=AtMostOnce())
    sender.send(Message(id="settled"))
    # This client writes what needs no answer when it waits for something.
    sender.close()
    equal(peer.connect().create_receiver(queue, credit=1).receive(timeout=WAIT).id, "settled")


@scenario()
def held_message_is_not_delivered_twice(peer, queue):
    numbers(peer, queue, 1)
    receiver = peer.connect().create_receiver(queue, credit=1)
    receiver.receive(timeout=WAIT)
    equal(is_empty(peer, queue), True)
    receiver.accept()


@scenario()
def closed_connection_releases(peer, queue):
    numbers(peer, queue, 1)
    connection = peer.connect()
    connection.create_receiver(queue, credit=1).receive(timeout=WAIT)
    connection.close()
    equal(peer.connect().create_receiver(queue, credit=1).receive(timeout=WAIT).delivery_count, 0)


# Flow.


@scenario()
def credit_is_kept(peer, queue):
    numbers(peer, queue, 5)
    receiver = peer.connect().create_receiver(queue, credit=2)
    receiver.receive(timeout=WAIT)
    receiver.receive(timeout=WAIT)
    other = peer.connect().create_receiver(queue, credit=3)
    equal([other.receive(timeout=WAIT).id for _ in range(3)], ["2", "3", "4"])


@scenario()
def drain_ends_a_wait(peer, queue):
    equal(peer.run(Drained(queue)).drained, 10)


@scenario()
def links_share_a_connection(peer, queue):
    connection = peer.connect()
    senders = [connection.create_sender(queue, name="sender-%d" % number) for number in range(20)]
    for number, sender in enumerate(senders):
        sender.send(Message(id=str(number)))
    receiver = connection.create_receiver(queue, credit=20)
    equal(sorted(int(receiver.receive(timeout=WAIT).id) for _ in senders), list(range(20)))


@scenario()
def link_is_reopened(peer, queue):
    connection = peer.connect()
    for number in range(3):
        sender = connection.create_sender(queue, name="again")
        sender.send(Message(id=str(number)))
        sender.close()
    receiver = connection.create_receiver(queue, credit=3)
    equal([receiver.receive(timeout=WAIT).id for _ in range(3)], ["0", "1", "2"])


# Topics, sessions, transactions.


@scenario(topic=["all"])
def subscription(peer, topic):
    connection = peer.connect()
    receiver = connection.create_receiver(topic + "/Subscriptions/all", credit=1)
    connection.create_sender(topic).send(Message(id="copy"))
    equal(receiver.receive(timeout=WAIT).id, "copy")
    receiver.accept()


@scenario(requiresSession=True)
def session(peer, queue):
    connection = peer.connect()
    sender = connection.create_sender(queue)
    for group in ("b", "a", "b"):
        sender.send(Message(group_id=group, body=group))
    receiver = connection.create_receiver(queue, credit=10, options=OfSession("b"))
    equal([receiver.receive(timeout=WAIT).group_id for _ in range(2)], ["b", "b"])


@scenario(requiresSession=True)
def session_is_required(peer, queue):
    refused("session", lambda: peer.connect().create_receiver(queue, credit=1))


@scenario()
def rolled_back_sends(peer, queue):
    equal(peer.run(Transacted(queue, commit=False)).ended, "aborted")
    equal(is_empty(peer, queue), True)


@scenario()
def committed_sends(peer, queue):
    equal(peer.run(Transacted(queue, commit=True)).ended, "committed")
    receiver = peer.connect().create_receiver(queue, credit=2)
    equal([receiver.receive(timeout=WAIT).id for _ in range(2)], ["0", "1"])


# Refusals.


@scenario()
def missing_entity(peer, _):
    refused("could not be found", lambda: peer.connect().create_receiver("no-such-queue"))
    refused("could not be found", lambda: peer.connect().create_sender("no-such-queue"))


@scenario()
def message_too_large(peer, queue):
    sender = peer.connect().create_sender(queue)
    refused(REJECTED, lambda: sender.send(Message(body=b"x" * (2 << 20), inferred=True)))


@scenario()
def refused_send_leaves_the_link_open(peer, queue):
    sender = peer.connect().create_sender(queue)
    refused(REJECTED, lambda: sender.send(Message(annotations={symbol("x-opt-partition-key"): 7})))
    sender.send(Message(id="after"))
    equal(peer.connect().create_receiver(queue, credit=1).receive(timeout=WAIT).id, "after")


@scenario()
def browsing_is_refused(peer, queue):
    refused("copy", lambda: peer.connect().create_receiver(queue, options=Copy()))


@scenario()
def temporary_queue_is_refused(peer, _):
    refused("dynamic", lambda: peer.connect().create_receiver(None, dynamic=True))


@scenario()
def encrypted_connection(peer, queue):
    connection = peer.connect(tls=True)
    connection.create_sender(queue).send(Message(id="tls"))
    equal(connection.create_receiver(queue, credit=1).receive(timeout=WAIT).id, "tls")


@scenario()
def idle_connection_stays(peer, queue):
    connection = peer.connect(heartbeat=1)
    sender = connection.create_sender(queue)
    refused("timed out", lambda: connection.wait(lambda: False, timeout=2.5))
    sender.send(Message(id="late"))
    equal(peer.connect().create_receiver(queue, credit=1).receive(timeout=WAIT).id, "late")


class Peer:
    """Connections of one scenario to the server."""

    def __init__(self, text, certificate):
        self.port = re.search(r":(\d+);", text).group(1)
        self.certificate = certificate
        self.open = []

    def connect(self, tls=False, **options):
        if tls:
            domain = SSLDomain(SSLDomain.MODE_CLIENT)
            domain.set_trusted_ca_db(self.certificate)
            domain.set_peer_authentication(SSLDomain.VERIFY_PEER_NAME)
            options = {"ssl_domain": domain, **options}
        address = "%s://localhost:%s" % ("amqps" if tls else "amqp", self.port)
        connection = BlockingConnection(address, allowed_mechs="ANONYMOUS", timeout=WAIT, **options)
        self.open.append(connection)
        return connection

    def run(self, handler):
        handler.port = self.port
        Container(handler).run()
        return handler

    def close(self):
        for connection in self.open:
            connection.close()


def run(name, function, text, certificate):
    line = {"name": name}
    peer = Peer(text, certificate)
    try:
        function(peer, name)
        peer.close()
    except BaseException as error:
        line["error"] = "%s: %s" % (type(error).__name__, error)
        line["trace"] = traceback.format_exc()
    return json.dumps(line)


def main():
    text, certificate, *wanted = sys.argv[1:]
    for name, (function, _) in SCENARIOS.items():
        if not wanted or name in wanted:
            print(run(name, function, text, certificate), flush=True)


if sys.argv[1:] == ["--list"]:
    print(json.dumps({name: entities for name, (_, entities) in SCENARIOS.items()}))
else:
    from proton import (
        Array,
        Data,
        Described,
        Message,
        SSLDomain,
        Terminus,
        Timeout,
        UNDESCRIBED,
        byte,
        char,
        decimal32,
        decimal64,
        decimal128,
        float32,
        int32,
        short,
        symbol,
        timestamp,
        ubyte,
        uint,
        ulong,
        ushort,
    )
    from proton.handlers import MessagingHandler, TransactionHandler
    from proton.reactor import AtMostOnce, Container, Filter, ReceiverOption
    from proton.utils import BlockingConnection

    class OfSession(Filter):
        """Asks for a session by its id."""

        def __init__(self, session_id):
            super().__init__({symbol("com.microsoft:session-filter"): session_id})

    class Copy(ReceiverOption):
        """Asks to browse."""

        def apply(self, receiver):
            receiver.source.distribution_mode = Terminus.DIST_MODE_COPY

    class Drained(MessagingHandler):
        """Grants credit to an empty queue, and takes it back."""

        def __init__(self, queue):
            super().__init__(prefetch=0)
            self.queue = queue
            self.drained = None

        def on_start(self, event):
            address = "localhost:%s" % self.port
            self.connection = event.container.connect(address, allowed_mechs="ANONYMOUS", reconnect=False)
            self.receiver = event.container.create_receiver(self.connection, self.queue)

        def on_link_opened(self, event):
            self.receiver.drain(10)

        def on_link_flow(self, event):
            if event.receiver is not None and self.receiver.credit == 0 and self.drained is None:
                self.drained = self.receiver.drained()
                self.connection.close()

    class Transacted(MessagingHandler, TransactionHandler):
        """Sends two messages in a transaction, and ends it."""

        def __init__(self, queue, commit):
            super().__init__()
            self.queue = queue
            self.commit = commit
            self.settled = 0
            self.ended = None

        def on_start(self, event):
            address = "localhost:%s" % self.port
            self.connection = event.container.connect(address, allowed_mechs="ANONYMOUS", reconnect=False)
            self.sender = event.container.create_sender(self.connection, self.queue)
            event.container.declare_transaction(self.connection, handler=self)

        def on_transaction_declared(self, event):
            self.transaction = event.transaction
            for number in range(2):
                self.transaction.send(self.sender, Message(id=str(number)))

        def on_settled(self, event):
            self.settled += event.sender == self.sender
            if self.settled == 2 and self.ended is None:
                self.ended = "ending"
                self.transaction.commit() if self.commit else self.transaction.abort()

        def on_transaction_aborted(self, event):
            self.end("aborted")

        def on_transaction_committed(self, event):
            self.end("committed")

        def end(self, ended):
            self.ended = ended
            self.connection.close()

    main()
