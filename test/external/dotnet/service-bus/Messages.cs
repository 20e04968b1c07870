using Azure.Core.Amqp;
using Azure.Messaging.ServiceBus;
using static Test;

/// <summary>Bodies and properties of messages.</summary>
static class Messages
{
    public static readonly Scenario[] Scenarios =
    [
        new("text-body", null, async t => Equal((await t.RoundTrip(new("añil 漢 🚀"))).Body.ToString(), "añil 漢 🚀")),
        new("bytes-body", null, async t =>
        {
            byte[] body = [.. Enumerable.Range(0, 256).Select(number => (byte)number)];
            Equal((await t.RoundTrip(new(body))).Body.ToArray(), body);
        }),
        new("empty-body", null, async t => Equal((await t.RoundTrip(new())).Body.ToArray().Length, 0)),
        new("several-data-sections", null, async t =>
        {
            ReadOnlyMemory<byte>[] data = ["one"u8.ToArray(), "two"u8.ToArray()];
            var received = await t.Annotated(new(AmqpMessageBody.FromData(data)));
            True(received.Body.TryGetData(out var sections), "the body is data");
            Equal(sections!.Select(section => section.ToArray()), data.Select(section => section.ToArray()));
        }),
        new("value-body", null, async t =>
        {
            var value = new Dictionary<string, object?> { ["a"] = new List<object?> { 1L, "x", true, 1.5 } };
            var received = await t.Annotated(new(AmqpMessageBody.FromValue(value)));
            True(received.Body.TryGetValue(out var found), "the body is a value");
            Equal(found, value);
        }),
        new("value-body-of-text", null, async t =>
        {
            var received = await t.Annotated(new(AmqpMessageBody.FromValue("añil")));
            True(received.Body.TryGetValue(out var found), "the body is a value");
            Equal(found, "añil");
        }),
        new("sequence-body", null, async t =>
        {
            IList<object>[] lists = [new List<object> { 1, 2L }, new List<object> { "x" }];
            var received = await t.Annotated(new(AmqpMessageBody.FromSequence(lists)));
            True(received.Body.TryGetSequence(out var found), "the body is a sequence");
            Equal(found, lists);
        }),
        new("sections-of-an-annotated-message", null, async t =>
        {
            var given = new AmqpAnnotatedMessage(AmqpMessageBody.FromValue(1));
            given.MessageAnnotations["x-own"] = "annotation";
            given.Footer["x-foot"] = 7;
            given.Header.Durable = true;
            given.Header.Priority = 9;
            var received = await t.Annotated(given);
            Equal(received.MessageAnnotations["x-own"], "annotation");
            Equal(received.Footer["x-foot"], 7);
            Equal(received.Header.Durable, true);
            Equal(received.Header.Priority, (byte)9);
        }),
        new("message-of-many-frames", null, async t =>
        {
            var body = string.Concat(Enumerable.Repeat("0123456789", 90_000));
            Equal((await t.RoundTrip(new(body))).Body.ToString(), body);
        }),
        new("broker-properties", null, async t =>
        {
            var given = new ServiceBusMessage("x")
            {
                MessageId = "m-1", ContentType = "application/json", CorrelationId = "c-1", Subject = "label", To = "somewhere",
                ReplyTo = "answers", ReplyToSessionId = "r-1", TimeToLive = TimeSpan.FromMinutes(5),
            };
            var received = await t.RoundTrip(given);
            Equal(received.MessageId, "m-1");
            Equal(received.ContentType, "application/json");
            Equal(received.CorrelationId, "c-1");
            Equal(received.Subject, "label");
            Equal(received.To, "somewhere");
            Equal(received.ReplyTo, "answers");
            Equal(received.ReplyToSessionId, "r-1");
            Equal(received.TimeToLive, TimeSpan.FromMinutes(5));
            True((received.ExpiresAt - received.EnqueuedTime - TimeSpan.FromMinutes(5)).Duration() < TimeSpan.FromSeconds(1), "it expires after its time to live");
        }),
        new("a-message-without-properties", null, async t =>
        {
            var received = await t.RoundTrip(new("x"));
            True(received.MessageId.Length > 0, "the broker gives an id");
            Equal(received.ContentType, null);
            Equal(received.Subject, null);
            Equal(received.SessionId, null);
            Equal(received.ApplicationProperties.Count, 0);
        }),
        new("sequence-numbers-and-times", null, async t =>
        {
            var before = DateTimeOffset.UtcNow.AddMinutes(-1);
            var received = await t.RoundTrip(new("x"));
            True(received.SequenceNumber > 0, "it has a sequence number");
            Equal(received.EnqueuedSequenceNumber, received.SequenceNumber);
            True(received.EnqueuedTime > before, "it was enqueued just now");
            True(received.LockedUntil > received.EnqueuedTime, "it is locked");
            Equal(received.DeliveryCount, 1);
            Equal(received.State, ServiceBusMessageState.Active);
            True(Guid.Parse(received.LockToken) != Guid.Empty, "it has a lock token");
        }),
        new("ids-that-are-not-text", null, async t =>
        {
            var id = Guid.NewGuid();
            var message = new ServiceBusMessage("x");
            message.GetRawAmqpMessage().Properties.MessageId = new AmqpMessageId(id.ToString());
            Equal((await t.RoundTrip(message)).MessageId, id.ToString());
        }),
        new("a-partition-key", null, async t =>
        {
            var received = await t.RoundTrip(new("x") { PartitionKey = "eu", TransactionPartitionKey = "via" });
            Equal(received.PartitionKey, "eu");
        }),
        new("a-received-message-sent-again", null, async t =>
        {
            var first = await t.RoundTrip(new("x") { MessageId = "again", Subject = "s", ApplicationProperties = { ["n"] = 1 } });
            var second = await t.RoundTrip(new ServiceBusMessage(first));
            Equal(second.MessageId, "again");
            Equal(second.Subject, "s");
            Equal(second.ApplicationProperties["n"], 1);
            Equal(second.Body.ToString(), "x");
            True(second.SequenceNumber > first.SequenceNumber, "it is another message");
        }),
        new("a-message-of-the-model-factory", null, async t =>
        {
            var made = ServiceBusModelFactory.ServiceBusReceivedMessage(
                body: BinaryData.FromString("made"), messageId: "m", correlationId: "c", subject: "s", contentType: "text/plain",
                timeToLive: TimeSpan.FromHours(1), properties: new Dictionary<string, object> { ["n"] = 1L });
            var received = await t.RoundTrip(new ServiceBusMessage(made));
            Equal(received.Body.ToString(), "made");
            Equal((received.MessageId, received.CorrelationId, received.Subject), ("m", "c", "s"));
            Equal(received.TimeToLive, TimeSpan.FromHours(1));
            Equal(received.ApplicationProperties["n"], 1L);
        }),
        new("json-bodies", null, async t =>
        {
            var received = await t.RoundTrip(new(BinaryData.FromObjectAsJson(new Order("o-1", 12.5m))) { ContentType = "application/json" });
            Equal(received.Body.ToObjectFromJson<Order>(), new Order("o-1", 12.5m));
        }),
        new("peeking", null, async t =>
        {
            await t.Send("a", "b", "c");
            var receiver = t.Receiver();
            Equal(Bodies(await receiver.PeekMessagesAsync(2)), new[] { "a", "b" });
            Equal(Bodies(await receiver.PeekMessagesAsync(2)), new[] { "c" });
            Equal(Bodies(await receiver.PeekMessagesAsync(5, 2)), new[] { "b", "c" });
            Equal((await t.Receiver().PeekMessageAsync()).DeliveryCount, 0);
        }),
    ];

    sealed record Order(string Id, decimal Total);
}
