"""A foreign AMQP 1.0 peer: sends, receives and uses transactions against the port named on the command line."""
import json
import sys

from proton import Message
from proton.handlers import MessagingHandler, TransactionHandler
from proton.reactor import Container
from proton.utils import BlockingConnection


def plain(port, seen):
    connection = BlockingConnection("127.0.0.1:%s" % port, allowed_mechs="ANONYMOUS", timeout=10)
    sender = connection.create_sender("q")
    for number in range(5):
        sender.send(Message(id=str(number), body={"number": number}, properties={"k": number}))
    sender.send(Message(id="large", body=b"x" * 300000, inferred=True))
    receiver = connection.create_receiver("q", credit=10)
    for _ in range(6):
        message = receiver.receive(timeout=5)
        seen["received"].append([message.id, message.properties and message.properties["k"]])
        receiver.accept()
    try:
        connection.create_receiver("missing")
        seen["missing"] = "was there"
    except Exception as error:
        seen["missing"] = str(error)
    connection.close()


class Transacted(MessagingHandler, TransactionHandler):
    """Sends two messages in a transaction that is given up, then two in one that is committed."""

    def __init__(self, port, seen):
        super().__init__()
        self.port = port
        self.seen = seen
        self.round = 0

    def on_start(self, event):
        self.container = event.container
        self.connection = event.container.connect("127.0.0.1:%s" % self.port, allowed_mechs="ANONYMOUS", reconnect=False)
        self.sender = event.container.create_sender(self.connection, "t")
        self.container.declare_transaction(self.connection, handler=self)

    def on_transaction_declared(self, event):
        self.transaction = event.transaction
        for number in range(2):
            self.transaction.send(self.sender, Message(id="%d-%d" % (self.round, number), body="x"))
        self.sent = 0

    def on_settled(self, event):
        if event.sender != self.sender:
            return
        self.sent += 1
        if self.sent < 2:
            return
        if self.round == 0:
            self.transaction.abort()
        else:
            self.transaction.commit()

    def on_transaction_aborted(self, event):
        self.seen["transactions"].append("aborted")
        self.round = 1
        self.container.declare_transaction(self.connection, handler=self)

    def on_transaction_committed(self, event):
        self.seen["transactions"].append("committed")
        self.connection.close()


result = {"received": [], "transactions": []}
plain(sys.argv[1], result)
Container(Transacted(sys.argv[1], result)).run()
print(json.dumps(result))
