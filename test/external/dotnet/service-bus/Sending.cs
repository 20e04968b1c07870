using Azure.Messaging.ServiceBus;
using static Test;

/// <summary>Batches, schedules, sizes and times to live.</summary>
static class Sending
{
    public static readonly Scenario[] Scenarios =
    [
        new("a-batch", null, async t =>
        {
            var sender = t.Client.CreateSender(t.Entity);
            using var batch = await sender.CreateMessageBatchAsync();
            foreach (var number in Enumerable.Range(0, 100))
                True(batch.TryAddMessage(new() { ApplicationProperties = { ["number"] = number } }), "the message fits");
            await sender.SendMessagesAsync(batch);
            var received = await Many(t.Deleting(), 100);
            Equal(received.Select(message => (int)message.ApplicationProperties["number"]), Enumerable.Range(0, 100));
        }),
        new("a-batch-that-is-full", null, async t =>
        {
            var sender = t.Client.CreateSender(t.Entity);
            using var batch = await sender.CreateMessageBatchAsync(new CreateMessageBatchOptions { MaxSizeInBytes = 1000 });
            Equal(batch.TryAddMessage(new(new string('x', 2000))), false);
        }),
        new("the-size-of-a-batch", new() { ["maxMessageSizeInBytes"] = 4 << 20 }, async t =>
        {
            using var batch = await t.Client.CreateSender(t.Entity).CreateMessageBatchAsync();
            Equal(batch.MaxSizeInBytes, 4L << 20);
            var count = 0;
            while (batch.TryAddMessage(new(new byte[50_000]))) count++;
            True(count is > 80 and < 84, "it takes as much as the server announces");
            await t.Client.CreateSender(t.Entity).SendMessagesAsync(batch);
            Equal((await Many(t.Deleting(), count)).Count, count);
        }),
        new("a-list-of-messages", null, async t =>
        {
            await t.Client.CreateSender(t.Entity).SendMessagesAsync([new("a"), new("b"), new("c")]);
            Equal(Bodies(await Many(t.Deleting(), 3)), new[] { "a", "b", "c" });
        }),
        new("batches-of-ten-thousand-small-messages", null, async t =>
        {
            var sender = t.Client.CreateSender(t.Entity);
            using var batch = await sender.CreateMessageBatchAsync();
            while (batch.Count < 6000 && batch.TryAddMessage(new("x"))) { }
            Equal(batch.Count, 6000);
            await sender.SendMessagesAsync(batch);
            Equal((await Many(t.Deleting(), 6000)).Count, 6000);
        }),
        new("a-message-that-is-too-large", null, async t =>
        {
            var sender = t.Client.CreateSender(t.Entity);
            await FailsFor(ServiceBusFailureReason.MessageSizeExceeded, () => sender.SendMessageAsync(new(new byte[2 << 20])));
            await sender.SendMessageAsync(new("small"));
            Equal((await One(t.Deleting())).Body.ToString(), "small");
        }),
        new("a-large-message", new() { ["maxMessageSizeInBytes"] = 8 << 20 }, async t =>
        {
            var body = new byte[7 << 20];
            Random.Shared.NextBytes(body);
            Equal((await t.RoundTrip(new(body))).Body.ToArray().AsSpan().SequenceEqual(body), true);
        }),
        new("scheduled-messages", null, async t =>
        {
            var sender = t.Client.CreateSender(t.Entity);
            var numbers = await sender.ScheduleMessagesAsync([new("a"), new("b")], DateTimeOffset.UtcNow.AddSeconds(0.5));
            Equal(numbers.Count, 2);
            Equal(Bodies(await Many(t.Deleting(), 2)), new[] { "a", "b" });
        }),
        new("cancelled-messages", null, async t =>
        {
            var sender = t.Client.CreateSender(t.Entity);
            var number = await sender.ScheduleMessageAsync(new("a"), DateTimeOffset.UtcNow.AddHours(1));
            var others = await sender.ScheduleMessagesAsync([new("b"), new("c")], DateTimeOffset.UtcNow.AddHours(1));
            var peeked = await t.Receiver().PeekMessageAsync();
            Equal((peeked.State, peeked.SequenceNumber), (ServiceBusMessageState.Scheduled, number));
            await sender.CancelScheduledMessageAsync(number);
            await sender.CancelScheduledMessagesAsync(others);
            await t.IsEmpty();
            await FailsFor(ServiceBusFailureReason.MessageNotFound, () => sender.CancelScheduledMessageAsync(number));
        }),
        new("a-scheduled-enqueue-time", null, async t =>
        {
            var when = DateTimeOffset.UtcNow.AddSeconds(0.5);
            await t.Send(new ServiceBusMessage("x") { ScheduledEnqueueTime = when });
            var received = await One(t.Deleting());
            True(received.EnqueuedTime >= when.AddMilliseconds(-1), "it was not enqueued before its time");
            True((received.ScheduledEnqueueTime - when).Duration() < TimeSpan.FromMilliseconds(2), "it still tells its time");
        }),
        new("duplicates", new() { ["requiresDuplicateDetection"] = true }, async t =>
        {
            await t.Send(new ServiceBusMessage("x") { MessageId = "same" }, new("x") { MessageId = "same" }, new("y") { MessageId = "other" });
            Equal(Bodies(await t.Receiver().PeekMessagesAsync(5)), new[] { "x", "y" });
        }),
        new("expired-messages", new() { ["deadLetteringOnMessageExpiration"] = true }, async t =>
        {
            await t.Send(new ServiceBusMessage("x") { TimeToLive = TimeSpan.FromMilliseconds(100) });
            Equal((await One(t.DeadLetters())).DeadLetterReason, "TTLExpiredException");
        }),
        new("a-default-time-to-live", new() { ["defaultMessageTimeToLive"] = "PT10M" }, async t =>
        {
            var received = await t.RoundTrip(new("x") { TimeToLive = TimeSpan.FromDays(1) });
            Equal(received.TimeToLive, TimeSpan.FromMinutes(10));
            True((received.ExpiresAt - received.EnqueuedTime - TimeSpan.FromMinutes(10)).Duration() < TimeSpan.FromSeconds(1), "it expires with the queue's time");
        }),
        new("no-time-to-live", null, async t =>
        {
            var received = await t.RoundTrip(new("x"));
            True(received.TimeToLive > TimeSpan.FromDays(1000), "it lives for ever");
            True(received.ExpiresAt > DateTimeOffset.UtcNow.AddYears(10), "it does not expire");
        }),
        new("a-missing-queue", null, async t =>
        {
            var sender = t.Client.CreateSender("missing-for-dotnet");
            await FailsFor(ServiceBusFailureReason.MessagingEntityNotFound, () => sender.SendMessageAsync(new("x")));
            await FailsFor(ServiceBusFailureReason.MessagingEntityNotFound, () => t.Receiver("missing-for-dotnet").ReceiveMessageAsync());
        }),
        new("a-wrong-key", null, async t =>
        {
            var wrong = t.ConnectionString.Replace("SharedAccessKey=", "SharedAccessKey=no", StringComparison.Ordinal);
            await using var client = new ServiceBusClient(wrong, OptionsOf());
            await Fails<UnauthorizedAccessException>(() => client.CreateSender(t.Entity).SendMessageAsync(new("x")));
        }),
        new("ten-thousand-messages", null, async t =>
        {
            var sender = t.Client.CreateSender(t.Entity);
            foreach (var first in Enumerable.Range(0, 10))
                await sender.SendMessagesAsync(Enumerable.Range(first * 1000, 1000).Select(number => new ServiceBusMessage($"{number}")));
            var received = await Many(t.Deleting(), 10_000);
            Equal(Bodies(received), Enumerable.Range(0, 10_000).Select(number => $"{number}"));
        }),
        new("several-clients", null, async t =>
        {
            foreach (var _ in Enumerable.Range(0, 5))
            {
                await using var client = new ServiceBusClient(t.ConnectionString, OptionsOf());
                await client.CreateSender(t.Entity).SendMessageAsync(new("x"));
            }
            Equal((await Many(t.Deleting(), 5)).Count, 5);
        }),
    ];
}
