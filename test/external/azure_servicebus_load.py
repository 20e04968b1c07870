"""A load of the official Python client."""

from azure.servicebus import ServiceBusMessage


def message():
    properties = {"region": "eu", "total": 228.49}
    return ServiceBusMessage(bytes(1024), content_type="application/octet-stream", application_properties=properties)


def load(client, queue, count):
    """Sends messages of 1 KiB one by one and as many in batches, receives all of them, and completes each."""
    count = int(count)
    with client.get_queue_sender(queue) as sender:
        for _ in range(count // 2):
            sender.send_messages(message())
        for _ in range(0, count // 2, 50):
            sender.send_messages([message() for _ in range(50)])
    left = count
    with client.get_queue_receiver(queue) as receiver:
        while left > 0:
            for received in receiver.receive_messages(max_message_count=min(left, 50), max_wait_time=5):
                receiver.complete_message(received)
                left -= 1
