"""The official Python client (azure-servicebus) against a server of ours, scenario by scenario.

`--list` prints each scenario with the entities that it needs, as JSON; otherwise the connection string and the file of
the server's certificate are given, and one line of JSON comes out for each scenario: its name, and the error if it failed.
SERVER_ADDRESS is the server's address where the connection string must have no port.
"""

import asyncio
import concurrent.futures
import datetime
import json
import os
import sys
import time
import traceback
import uuid

SCENARIOS = {}
WAIT = 5
UTC = datetime.timezone.utc


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


def send(client, queue, *messages):
    with client.get_queue_sender(queue) as sender:
        sender.send_messages(list(messages))


def receive(receiver, count=1, wait=WAIT):
    messages = []
    while len(messages) < count:
        more = receiver.receive_messages(max_message_count=count - len(messages), max_wait_time=wait)
        if not more:
            break
        messages.extend(more)
    return messages


def one(receiver):
    messages = receive(receiver)
    equal(len(messages), 1)
    return messages[0]


def round_trip(client, queue, message):
    send(client, queue, message)
    with client.get_queue_receiver(queue) as receiver:
        received = one(receiver)
        receiver.complete_message(received)
    return received


def is_empty(client, queue, **options):
    with client.get_queue_receiver(queue, **options) as receiver:
        return receiver.peek_messages(max_message_count=1) == []


# Bodies.


@scenario()
def text_body(client, queue):
    equal(str(round_trip(client, queue, ServiceBusMessage("añil 漢 🚀"))), "añil 漢 🚀")


@scenario()
def bytes_body(client, queue):
    body = bytes(range(256))
    equal(b"".join(round_trip(client, queue, ServiceBusMessage(body)).body), body)


@scenario()
def empty_body(client, queue):
    equal(b"".join(round_trip(client, queue, ServiceBusMessage(b"")).body), b"")


@scenario()
def several_data_sections(client, queue):
    received = round_trip(client, queue, AmqpAnnotatedMessage(data_body=[b"one", b"two"]))
    equal(list(received.body), [b"one", b"two"])


@scenario()
def value_body(client, queue):
    received = round_trip(client, queue, AmqpAnnotatedMessage(value_body={"a": [1, "x", None, True, 1.5]}))
    equal(received.body_type, AmqpMessageBodyType.VALUE)
    equal(received.body, {b"a": [1, b"x", None, True, 1.5]})


@scenario()
def sequence_body(client, queue):
    received = round_trip(client, queue, AmqpAnnotatedMessage(sequence_body=[[1, 2], ["x"]]))
    equal(received.body_type, AmqpMessageBodyType.SEQUENCE)
    equal(list(received.body), [[1, 2], [b"x"]])


@scenario()
def message_of_many_frames(client, queue):
    body = b"0123456789" * 90_000
    equal(b"".join(round_trip(client, queue, ServiceBusMessage(body)).body), body)


# Properties.


@scenario()
def broker_properties(client, queue):
    given = dict(
        message_id="m-1",
        content_type="application/json",
        correlation_id="c-1",
        subject="label",
        to="somewhere",
        reply_to="answers",
        reply_to_session_id="r-1",
        time_to_live=datetime.timedelta(minutes=5),
    )
    received = round_trip(client, queue, ServiceBusMessage("x", **given))
    equal({name: getattr(received, name) for name in given}, given)


@scenario()
def application_properties(client, queue):
    given = {
        "text": "é",
        "int": 7,
        "largest": 2**31 - 1,
        "smallest": -(2**31),
        "float": 1.25,
        "bool": True,
        "uuid": uuid.UUID("00112233-4455-6677-8899-aabbccddeeff"),
        "none": None,
    }
    received = round_trip(client, queue, ServiceBusMessage("x", application_properties=given))
    found = {key.decode(): value for key, value in received.application_properties.items()}
    # This client has integers of 32 bits here, sends bytes as text, and hands over text as bytes.
    expected = {key: value.encode() if isinstance(value, str) else value for key, value in given.items()}
    equal(found, expected)


@scenario()
def dates_as_properties(client, queue):
    when = datetime.datetime(2026, 11, 22, 12, 30, 15, 250000, tzinfo=UTC)
    received = round_trip(client, queue, ServiceBusMessage("x", application_properties={"when": when}))
    found = received.application_properties[b"when"]
    equal(int(found if isinstance(found, int) else round(found.timestamp() * 1000)), round(when.timestamp() * 1000))


@scenario()
def sequence_numbers_and_times(client, queue):
    before = datetime.datetime.now(UTC) - datetime.timedelta(minutes=1)
    send(client, queue, ServiceBusMessage("x"))
    with client.get_queue_receiver(queue) as receiver:
        received = one(receiver)
        equal(received.sequence_number > 0, True)
        equal(received.enqueued_time_utc > before, True)
        equal(received.delivery_count, 0)
        equal(received.locked_until_utc > received.enqueued_time_utc, True)


# Sending.


@scenario()
def a_list_of_messages(client, queue):
    send(client, queue, *[ServiceBusMessage(str(number)) for number in range(25)])
    with client.get_queue_receiver(queue) as receiver:
        messages = receive(receiver, 25)
        for message in messages:
            receiver.complete_message(message)
    equal([str(message) for message in messages], [str(number) for number in range(25)])


@scenario()
def a_batch(client, queue):
    with client.get_queue_sender(queue) as sender:
        batch = sender.create_message_batch()
        for number in range(100):
            batch.add_message(ServiceBusMessage("%d" % number, application_properties={"number": number}))
        sender.send_messages(batch)
    with client.get_queue_receiver(queue, receive_mode="receiveanddelete") as receiver:
        equal([m.application_properties[b"number"] for m in receive(receiver, 100)], list(range(100)))


@scenario()
def a_batch_that_is_full(client, queue):
    with client.get_queue_sender(queue) as sender:
        batch = sender.create_message_batch(max_size_in_bytes=5000)
        count = 0
        try:
            while True:
                batch.add_message(ServiceBusMessage("x" * 1000))
                count += 1
        except MessageSizeExceededError:
            pass
        sender.send_messages(batch)
    equal(count, 4)
    with client.get_queue_receiver(queue, receive_mode="receiveanddelete") as receiver:
        equal(len(receive(receiver, count)), count)


@scenario()
def a_message_that_is_too_large(client, queue):
    try:
        send(client, queue, ServiceBusMessage(b"x" * 3_000_000))
    except MessageSizeExceededError:
        return
    raise AssertionError("it was sent")


@scenario()
def scheduling_and_cancelling(client, queue):
    later = datetime.datetime.now(UTC) + datetime.timedelta(hours=1)
    with client.get_queue_sender(queue) as sender:
        numbers = sender.schedule_messages([ServiceBusMessage("a"), ServiceBusMessage("b")], later)
        sender.cancel_scheduled_messages(numbers[0])
    with client.get_queue_receiver(queue) as receiver:
        peeked = receiver.peek_messages(max_message_count=10)
    equal([(str(m), m.sequence_number, m.state.name) for m in peeked], [("b", numbers[1], "SCHEDULED")])


@scenario()
def scheduling_for_soon(client, queue):
    soon = datetime.datetime.now(UTC) + datetime.timedelta(milliseconds=300)
    send(client, queue, ServiceBusMessage("x", scheduled_enqueue_time_utc=soon))
    with client.get_queue_receiver(queue, receive_mode="receiveanddelete") as receiver:
        equal(str(one(receiver)), "x")


# Receiving and settling.


@scenario()
def completing(client, queue):
    round_trip(client, queue, ServiceBusMessage("x"))
    equal(is_empty(client, queue), True)


@scenario()
def abandoning(client, queue):
    send(client, queue, ServiceBusMessage("x"))
    with client.get_queue_receiver(queue) as receiver:
        receiver.abandon_message(one(receiver))
        again = one(receiver)
        equal(again.delivery_count, 1)
        receiver.complete_message(again)


@scenario()
def dead_lettering(client, queue):
    send(client, queue, ServiceBusMessage("x"))
    with client.get_queue_receiver(queue) as receiver:
        receiver.dead_letter_message(one(receiver), reason="why", error_description="because")
    with client.get_queue_receiver(queue, sub_queue=ServiceBusSubQueue.DEAD_LETTER) as receiver:
        dead = one(receiver)
        equal((dead.dead_letter_reason, dead.dead_letter_error_description), ("why", "because"))
        receiver.complete_message(dead)
    equal(is_empty(client, queue, sub_queue=ServiceBusSubQueue.DEAD_LETTER), True)


@scenario(maxDeliveryCount=2)
def too_many_deliveries(client, queue):
    send(client, queue, ServiceBusMessage("x"))
    with client.get_queue_receiver(queue) as receiver:
        for _ in range(2):
            receiver.abandon_message(one(receiver))
    with client.get_queue_receiver(queue, sub_queue="deadletter") as receiver:
        equal(one(receiver).dead_letter_reason, "MaxDeliveryCountExceeded")


@scenario()
def deferring(client, queue):
    send(client, queue, ServiceBusMessage("x"))
    with client.get_queue_receiver(queue) as receiver:
        message = one(receiver)
        receiver.defer_message(message)
        [deferred] = receiver.receive_deferred_messages(message.sequence_number)
        equal(str(deferred), "x")
        receiver.complete_message(deferred)
    equal(is_empty(client, queue), True)


@scenario()
def deferred_and_dead_lettered(client, queue):
    send(client, queue, ServiceBusMessage("x"))
    with client.get_queue_receiver(queue) as receiver:
        message = one(receiver)
        receiver.defer_message(message)
        [deferred] = receiver.receive_deferred_messages([message.sequence_number])
        receiver.dead_letter_message(deferred, reason="late")
    with client.get_queue_receiver(queue, sub_queue="deadletter") as receiver:
        equal(one(receiver).dead_letter_reason, "late")


@scenario()
def receiving_and_deleting(client, queue):
    send(client, queue, *[ServiceBusMessage(str(number)) for number in range(5)])
    with client.get_queue_receiver(queue, receive_mode=ServiceBusReceiveMode.RECEIVE_AND_DELETE) as receiver:
        equal([str(m) for m in receive(receiver, 5)], ["0", "1", "2", "3", "4"])
    equal(is_empty(client, queue), True)


@scenario()
def peeking(client, queue):
    send(client, queue, *[ServiceBusMessage(str(number)) for number in range(5)])
    with client.get_queue_receiver(queue) as receiver:
        first = receiver.peek_messages(max_message_count=2)
        rest = receiver.peek_messages(max_message_count=10, sequence_number=first[-1].sequence_number + 1)
    equal([str(m) for m in first + rest], ["0", "1", "2", "3", "4"])


@scenario()
def renewing_a_lock(client, queue):
    send(client, queue, ServiceBusMessage("x"))
    with client.get_queue_receiver(queue) as receiver:
        message = one(receiver)
        before = message.locked_until_utc
        renewed = receiver.renew_message_lock(message)
        equal(renewed >= before, True)
        receiver.complete_message(message)


@scenario()
def settling_twice(client, queue):
    send(client, queue, ServiceBusMessage("x"))
    with client.get_queue_receiver(queue) as receiver:
        message = one(receiver)
        receiver.complete_message(message)
        try:
            receiver.complete_message(message)
        except MessageAlreadySettled:
            return
    raise AssertionError("it was settled twice")


@scenario(lockDuration=1000)
def a_lock_that_is_lost(client, queue):
    send(client, queue, ServiceBusMessage("x"))
    with client.get_queue_receiver(queue) as receiver:
        message = one(receiver)
        with client.get_queue_receiver(queue) as other:
            again = one(other)
            equal(again.delivery_count, 1)
            try:
                receiver.complete_message(message)
            except (MessageLockLostError, MessageAlreadySettled):
                pass
            else:
                raise AssertionError("the lost lock completed")
            other.complete_message(again)


@scenario()
def prefetching(client, queue):
    send(client, queue, *[ServiceBusMessage(str(number)) for number in range(50)])
    with client.get_queue_receiver(queue, prefetch_count=20) as receiver:
        messages = receive(receiver, 50)
        for message in messages:
            receiver.complete_message(message)
    equal([str(m) for m in messages], [str(number) for number in range(50)])
    equal(is_empty(client, queue), True)


@scenario()
def iterating(client, queue):
    send(client, queue, *[ServiceBusMessage(str(number)) for number in range(3)])
    seen = []
    with client.get_queue_receiver(queue, max_wait_time=1) as receiver:
        for message in receiver:
            seen.append(str(message))
            receiver.complete_message(message)
    equal(seen, ["0", "1", "2"])


@scenario()
def nothing_to_receive(client, queue):
    with client.get_queue_receiver(queue) as receiver:
        equal(receiver.receive_messages(max_wait_time=0.5), [])


@scenario(requiresDuplicateDetection=True)
def duplicates(client, queue):
    send(client, queue, ServiceBusMessage("1", message_id="same"))
    send(client, queue, ServiceBusMessage("2", message_id="same"))
    with client.get_queue_receiver(queue) as receiver:
        equal([str(m) for m in receiver.peek_messages(max_message_count=10)], ["1"])


@scenario()
def time_to_live(client, queue):
    # This client sends whole seconds.
    send(client, queue, ServiceBusMessage("x", time_to_live=datetime.timedelta(seconds=1)))
    time.sleep(1.2)
    with client.get_queue_receiver(queue) as receiver:
        equal(receiver.receive_messages(max_wait_time=0.5), [])


@scenario()
def a_queue_that_is_missing(client, queue):
    try:
        with client.get_queue_receiver("not-there") as receiver:
            receiver.receive_messages(max_wait_time=1)
    except MessagingEntityNotFoundError:
        return
    raise AssertionError("it was there")


@scenario()
def ten_thousand_messages(client, queue):
    total = 10_000
    with client.get_queue_sender(queue) as sender:
        for start in range(0, total, 500):
            sender.send_messages([ServiceBusMessage(b"x" * 100) for _ in range(500)])
    seen = 0
    with client.get_queue_receiver(queue, prefetch_count=500, receive_mode="receiveanddelete") as receiver:
        while seen < total:
            messages = receiver.receive_messages(max_message_count=500, max_wait_time=WAIT)
            if not messages:
                break
            seen += len(messages)
    equal(seen, total)


# Sessions.


@scenario(requiresSession=True)
def a_session(client, queue):
    send(client, queue, *[ServiceBusMessage(str(n), session_id="a") for n in range(3)], ServiceBusMessage("b", session_id="b"))
    with client.get_queue_receiver(queue, session_id="a") as receiver:
        messages = receive(receiver, 3)
        equal([str(m) for m in messages], ["0", "1", "2"])
        equal({m.session_id for m in messages}, {"a"})
        for message in messages:
            receiver.complete_message(message)


@scenario(requiresSession=True)
def next_available_session(client, queue):
    send(client, queue, ServiceBusMessage("x", session_id="s-7"))
    with client.get_queue_receiver(queue, session_id=NEXT_AVAILABLE_SESSION, max_wait_time=WAIT) as receiver:
        equal(receiver.session.session_id, "s-7")
        receiver.complete_message(one(receiver))


@scenario(requiresSession=True)
def session_state(client, queue):
    send(client, queue, ServiceBusMessage("x", session_id="a"))
    with client.get_queue_receiver(queue, session_id="a") as receiver:
        equal(receiver.session.get_state(), None)
        receiver.session.set_state("step 2")
        equal(receiver.session.get_state(), b"step 2")
        receiver.session.set_state(None)
        equal(receiver.session.get_state(), None)


@scenario(requiresSession=True)
def renewing_a_session(client, queue):
    send(client, queue, ServiceBusMessage("x", session_id="a"))
    with client.get_queue_receiver(queue, session_id="a") as receiver:
        before = receiver.session.locked_until_utc
        equal(receiver.session.renew_lock() >= before, True)


@scenario(requiresSession=True)
def a_session_that_is_taken(client, queue):
    send(client, queue, ServiceBusMessage("x", session_id="a"))
    with client.get_queue_receiver(queue, session_id="a"):
        try:
            with client.get_queue_receiver(queue, session_id="a") as other:
                other.receive_messages(max_wait_time=1)
        except SessionCannotBeLockedError:
            return
    raise AssertionError("two hold it")


@scenario(requiresSession=True)
def no_session_available(client, queue):
    try:
        with client.get_queue_receiver(queue, session_id=NEXT_AVAILABLE_SESSION, max_wait_time=1) as receiver:
            receiver.receive_messages(max_wait_time=1)
    except OperationTimeoutError:
        return
    raise AssertionError("there was a session")


@scenario(requiresSession=True)
def deferring_in_a_session(client, queue):
    send(client, queue, ServiceBusMessage("x", session_id="a"))
    with client.get_queue_receiver(queue, session_id="a") as receiver:
        message = one(receiver)
        receiver.defer_message(message)
        [deferred] = receiver.receive_deferred_messages(message.sequence_number)
        receiver.complete_message(deferred)


@scenario(requiresSession=True)
def scheduling_in_a_session(client, queue):
    later = datetime.datetime.now(UTC) + datetime.timedelta(hours=1)
    with client.get_queue_sender(queue) as sender:
        [number] = sender.schedule_messages(ServiceBusMessage("x", session_id="a"), later)
        sender.cancel_scheduled_messages(number)


# Topics.


def subscribed(client, name, subscription):
    with client.get_subscription_receiver(name, subscription) as receiver:
        return [str(m) for m in receiver.peek_messages(max_message_count=10)]


@scenario(topic=["all", "other"])
def a_topic(client, name):
    with client.get_topic_sender(name) as sender:
        sender.send_messages(ServiceBusMessage("x"))
    equal([subscribed(client, name, "all"), subscribed(client, name, "other")], [["x"], ["x"]])
    with client.get_subscription_receiver(name, "all") as receiver:
        receiver.dead_letter_message(one(receiver), reason="no")
    with client.get_subscription_receiver(name, "all", sub_queue="deadletter") as receiver:
        equal(one(receiver).dead_letter_reason, "no")


# Other ways in.


@scenario()
def web_sockets(client, queue):
    # Without an address of its own the client looks for port 443.
    with again(client, transport_type=TransportType.AmqpOverWebsocket, **address_of(client)) as socket:
        equal(str(round_trip(socket, queue, ServiceBusMessage("x"))), "x")


def address_of(client):
    endpoint = os.environ.get("SERVER_ADDRESS", client.settings["Endpoint"])
    return {"custom_endpoint_address": endpoint.rstrip("/")}


@scenario()
def a_credential_of_its_own(client, queue):
    settings = client.settings
    credential = AzureNamedKeyCredential(settings["SharedAccessKeyName"], settings["SharedAccessKey"])
    host = settings["Endpoint"].split("//")[1].strip("/")
    with ServiceBusClient(
        host.split(":")[0],
        credential,
        **address_of(client),
        connection_verify=client.certificate,
        transport_type=TransportType.AmqpOverWebsocket,
    ) as other:
        equal(str(round_trip(other, queue, ServiceBusMessage("x"))), "x")


@scenario()
def asynchronous_client(client, queue):
    async def run():
        async with AsyncClient.from_connection_string(client.text) as other:
            async with other.get_queue_sender(queue) as sender:
                await sender.send_messages([ServiceBusMessage(str(number)) for number in range(3)])
            async with other.get_queue_receiver(queue) as receiver:
                messages = await receiver.receive_messages(max_message_count=3, max_wait_time=WAIT)
                for message in messages:
                    await receiver.complete_message(message)
                equal(await receiver.peek_messages(), [])
        equal([str(m) for m in messages], ["0", "1", "2"])

    asyncio.run(run())


@scenario(requiresSession=True)
def asynchronous_sessions(client, queue):
    async def run():
        async with AsyncClient.from_connection_string(client.text) as other:
            async with other.get_queue_sender(queue) as sender:
                await sender.send_messages(ServiceBusMessage("x", session_id="a"))
            async with other.get_queue_receiver(queue, session_id="a") as receiver:
                await receiver.session.set_state("s")
                equal(await receiver.session.get_state(), b"s")
                [message] = await receiver.receive_messages(max_wait_time=WAIT)
                await receiver.defer_message(message)
                [deferred] = await receiver.receive_deferred_messages(message.sequence_number)
                await receiver.complete_message(deferred)

    asyncio.run(run())


# Administration, over https.


def administration(client):
    text = client.text.replace(client.settings["Endpoint"], address_of(client)["custom_endpoint_address"])
    return ServiceBusAdministrationClient.from_connection_string(text, connection_verify=client.certificate)


@scenario()
def administering_queues(client, queue):
    with administration(client) as admin:
        created = admin.create_queue("made", max_delivery_count=3, lock_duration=datetime.timedelta(seconds=30))
        equal((created.name, created.max_delivery_count), ("made", 3))
        created.max_delivery_count = 4
        admin.update_queue(created)
        equal(admin.get_queue("made").max_delivery_count, 4)
        equal(admin.get_queue_runtime_properties("made").total_message_count, 0)
        equal("made" in [found.name for found in admin.list_queues()], True)
        admin.delete_queue("made")
        try:
            admin.get_queue("made")
        except ResourceNotFoundError:
            return
    raise AssertionError("it is still there")


@scenario()
def administering_topics_and_rules(client, queue):
    with administration(client) as admin:
        admin.create_topic("news")
        admin.create_subscription("news", "red")
        admin.delete_rule("news", "red", "$Default")
        admin.create_rule("news", "red", "only-red", filter=SqlRuleFilter("colour = 'red'"))
        admin.create_rule("news", "red", "urgent", filter=CorrelationRuleFilter(label="urgent"))
        equal(sorted(rule.name for rule in admin.list_rules("news", "red")), ["only-red", "urgent"])
        with client.get_topic_sender("news") as sender:
            for colour, subject in [("red", None), ("blue", None), ("blue", "urgent")]:
                message = ServiceBusMessage(colour, subject=subject, application_properties={"colour": colour})
                sender.send_messages(message)
        equal(subscribed(client, "news", "red"), ["red", "blue"])
        admin.delete_topic("news")


@scenario()
def administering_many_queues(client, queue):
    with administration(client) as admin:
        for number in range(105):
            admin.create_queue("many-%03d" % number)
        names = [found.name for found in admin.list_queues() if found.name.startswith("many-")]
        equal(len(names), 105)


def again(client, **options):
    return connect(client.text, client.certificate, **options)


def connect(text, certificate, **options):
    client = ServiceBusClient.from_connection_string(text, retry_total=0, connection_verify=certificate, **options)
    client.text = text
    client.certificate = certificate
    client.settings = dict(part.split("=", 1) for part in text.strip(";").split(";"))
    return client


def run(name, function, text, certificate):
    line = {"name": name}
    start = time.monotonic()
    try:
        with connect(text, certificate) as client:
            function(client, name)
    except BaseException as error:
        line["error"] = "%s: %s" % (type(error).__name__, error)
        line["trace"] = traceback.format_exc()
    line["seconds"] = round(time.monotonic() - start, 1)
    return json.dumps(line)


def main():
    text, certificate, *wanted = sys.argv[1:]
    chosen = [(name, function) for name, (function, _) in SCENARIOS.items() if not wanted or name in wanted]
    # This client takes a second to close a connection, in which it only waits.
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        running = [pool.submit(run, name, function, text, certificate) for name, function in chosen]
        for ended in concurrent.futures.as_completed(running):
            print(ended.result(), flush=True)


if sys.argv[1:] == ["--list"]:
    print(json.dumps({name: entities for name, (_, entities) in SCENARIOS.items()}))
else:
    from azure.core.credentials import AzureNamedKeyCredential
    from azure.core.exceptions import ResourceNotFoundError
    from azure.servicebus import (
        NEXT_AVAILABLE_SESSION,
        ServiceBusClient,
        ServiceBusMessage,
        ServiceBusReceiveMode,
        ServiceBusSubQueue,
        TransportType,
    )
    from azure.servicebus.aio import ServiceBusClient as AsyncClient
    from azure.servicebus.amqp import AmqpAnnotatedMessage, AmqpMessageBodyType
    from azure.servicebus.exceptions import (
        MessageAlreadySettled,
        MessageLockLostError,
        MessageSizeExceededError,
        MessagingEntityNotFoundError,
        OperationTimeoutError,
        SessionCannotBeLockedError,
    )
    from azure.servicebus.management import CorrelationRuleFilter, ServiceBusAdministrationClient, SqlRuleFilter

    main()
