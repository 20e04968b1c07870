using Azure.Messaging.ServiceBus;
using static Test;

/// <summary>Receiving, and what becomes of the messages.</summary>
static class Settling
{
    public static readonly Scenario[] Scenarios =
    [
        new("completing", null, async t =>
        {
            await t.RoundTrip(new("x"));
            await t.IsEmpty();
        }),
        new("abandoning-with-properties", null, async t =>
        {
            await t.Send("x");
            var receiver = t.Receiver();
            await receiver.AbandonMessageAsync(await One(receiver), new Dictionary<string, object> { ["attempt"] = 1, ["why"] = "busy" });
            var again = await One(receiver);
            Equal(again.DeliveryCount, 2);
            Equal(again.ApplicationProperties["attempt"], 1);
            Equal(again.ApplicationProperties["why"], "busy");
        }),
        new("too-many-deliveries", new() { ["maxDeliveryCount"] = 2 }, async t =>
        {
            await t.Send("x");
            var receiver = t.Receiver();
            foreach (var _ in Enumerable.Range(0, 2)) await receiver.AbandonMessageAsync(await One(receiver));
            Equal((await One(t.DeadLetters())).DeadLetterReason, "MaxDeliveryCountExceeded");
        }),
        new("dead-lettering", null, async t =>
        {
            await t.Send("x");
            var receiver = t.Receiver();
            await receiver.DeadLetterMessageAsync(await One(receiver), new Dictionary<string, object> { ["seen"] = true }, "Broken", "no total");
            var letters = t.DeadLetters();
            var letter = await One(letters);
            Equal((letter.DeadLetterReason, letter.DeadLetterErrorDescription), ("Broken", "no total"));
            Equal(letter.ApplicationProperties["seen"], true);
            await letters.CompleteMessageAsync(letter);
            await t.IsEmpty(t.DeadLetters());
        }),
        new("the-longest-description-of-a-dead-letter", null, async t =>
        {
            await t.Send("x");
            var receiver = t.Receiver();
            var message = await One(receiver);
            await Fails<ArgumentException>(() => receiver.DeadLetterMessageAsync(message, "Broken", new string('d', 4097)));
            await receiver.DeadLetterMessageAsync(message, new string('r', 4096), new string('d', 4096));
            var letter = await One(t.DeadLetters());
            Equal((letter.DeadLetterReason.Length, letter.DeadLetterErrorDescription.Length), (4096, 4096));
        }),
        new("dead-lettering-without-a-reason", null, async t =>
        {
            await t.Send("x");
            var receiver = t.Receiver();
            await receiver.DeadLetterMessageAsync(await One(receiver));
            Equal((await One(t.DeadLetters())).DeadLetterReason, null);
        }),
        new("a-dead-letter-sent-again", null, async t =>
        {
            await t.Send("x");
            var receiver = t.Receiver();
            await receiver.DeadLetterMessageAsync(await One(receiver), "Broken");
            var again = new ServiceBusMessage(await One(t.DeadLetters()));
            Equal(again.ApplicationProperties.ContainsKey("DeadLetterReason"), false);
            await t.Send(again);
            Equal((await One(receiver)).DeadLetterReason, null);
        }),
        new("deferring", null, async t =>
        {
            await t.Send("a", "b");
            var receiver = t.Receiver();
            var messages = await Many(receiver, 2);
            foreach (var message in messages) await receiver.DeferMessageAsync(message, new Dictionary<string, object> { ["later"] = true });
            Equal((await receiver.PeekMessageAsync()).State, ServiceBusMessageState.Deferred);
            var deferred = await receiver.ReceiveDeferredMessagesAsync([messages[1].SequenceNumber, messages[0].SequenceNumber]);
            Equal(Bodies(deferred).Order(), new[] { "a", "b" });
            Equal(deferred[0].ApplicationProperties["later"], true);
            foreach (var message in deferred) await receiver.CompleteMessageAsync(message);
            await t.IsEmpty();
        }),
        new("settling-what-was-deferred", null, async t =>
        {
            await t.Send("abandoned", "dead");
            var receiver = t.Receiver();
            var messages = await Many(receiver, 2);
            foreach (var message in messages) await receiver.DeferMessageAsync(message);
            var first = await receiver.ReceiveDeferredMessageAsync(messages[0].SequenceNumber);
            await receiver.AbandonMessageAsync(first, new Dictionary<string, object> { ["n"] = 1 });
            var again = await receiver.ReceiveDeferredMessageAsync(messages[0].SequenceNumber);
            Equal(again.ApplicationProperties["n"], 1);
            var second = await receiver.ReceiveDeferredMessageAsync(messages[1].SequenceNumber);
            await receiver.DeadLetterMessageAsync(second, "Why", "because");
            var letter = await One(t.DeadLetters());
            Equal((letter.Body.ToString(), letter.DeadLetterReason, letter.DeadLetterErrorDescription), ("dead", "Why", "because"));
        }),
        new("a-missing-deferred-message", null, t =>
            FailsFor(ServiceBusFailureReason.MessageNotFound, () => t.Receiver().ReceiveDeferredMessageAsync(77))),
        new("deferred-messages-received-and-deleted", null, async t =>
        {
            await t.Send("x");
            var receiver = t.Receiver();
            var message = await One(receiver);
            await receiver.DeferMessageAsync(message);
            Equal((await t.Deleting().ReceiveDeferredMessageAsync(message.SequenceNumber)).Body.ToString(), "x");
            await t.IsEmpty();
        }),
        new("renewing-a-lock", new() { ["lockDuration"] = "PT5S" }, async t =>
        {
            await t.Send("x");
            var receiver = t.Receiver();
            var message = await One(receiver);
            var before = message.LockedUntil;
            await Task.Delay(100);
            await receiver.RenewMessageLockAsync(message);
            True(message.LockedUntil > before, "the lock lasts longer");
            await receiver.CompleteMessageAsync(message);
        }),
        new("a-lost-lock", new() { ["lockDuration"] = "PT0.2S" }, async t =>
        {
            await t.Send("x");
            var receiver = t.Receiver();
            var message = await One(receiver);
            var again = await One(t.Receiver());
            True(again.DeliveryCount > message.DeliveryCount, "it is delivered again");
            await FailsFor(ServiceBusFailureReason.MessageLockLost, () => receiver.CompleteMessageAsync(message));
            await FailsFor(ServiceBusFailureReason.MessageLockLost, () => receiver.RenewMessageLockAsync(message));
        }),
        new("settling-twice", null, async t =>
        {
            await t.Send("x");
            var receiver = t.Receiver();
            var message = await One(receiver);
            await receiver.CompleteMessageAsync(message);
            await FailsFor(ServiceBusFailureReason.MessageLockLost, () => receiver.CompleteMessageAsync(message));
        }),
        new("completing-over-another-receiver", null, async t =>
        {
            await t.Send("x");
            var receiver = t.Receiver();
            var message = await One(receiver);
            await receiver.CloseAsync();
            await t.Receiver().CompleteMessageAsync(message);
            await t.IsEmpty();
        }),
        new("receive-and-delete", null, async t =>
        {
            await t.Send("a", "b");
            Equal(Bodies(await Many(t.Deleting(), 2)), new[] { "a", "b" });
            await t.IsEmpty();
        }),
        new("no-message-in-time", null, async t =>
        {
            var receiver = t.Receiver();
            Equal(await receiver.ReceiveMessageAsync(TimeSpan.FromMilliseconds(200)), null);
            Equal((await receiver.ReceiveMessagesAsync(10, TimeSpan.FromMilliseconds(200))).Count, 0);
            await t.Send("late");
            Equal((await One(receiver)).Body.ToString(), "late");
        }),
        new("a-receiver-that-waits", null, async t =>
        {
            var waiting = One(t.Receiver());
            await Task.Delay(200);
            await t.Send("late");
            Equal((await waiting).Body.ToString(), "late");
        }),
        new("a-receive-that-is-cancelled", null, async t =>
        {
            var receiver = t.Receiver();
            using var patience = new CancellationTokenSource(200);
            await Fails<TaskCanceledException>(() => receiver.ReceiveMessageAsync(Patience, patience.Token));
            await t.Send("x");
            Equal((await One(receiver)).Body.ToString(), "x");
        }),
        new("prefetch", null, async t =>
        {
            await t.Send("a", "b", "c", "d");
            await using var receiver = t.Client.CreateReceiver(t.Entity, new ServiceBusReceiverOptions { PrefetchCount = 10 });
            foreach (var body in new[] { "a", "b", "c", "d" })
            {
                var message = await One(receiver);
                Equal(message.Body.ToString(), body);
                await receiver.CompleteMessageAsync(message);
            }
            await t.IsEmpty();
        }),
        new("prefetch-of-a-thousand", null, async t =>
        {
            await t.Client.CreateSender(t.Entity).SendMessagesAsync(Enumerable.Range(0, 1000).Select(number => new ServiceBusMessage($"{number}")));
            await using var receiver = t.Client.CreateReceiver(t.Entity, new ServiceBusReceiverOptions { PrefetchCount = 300 });
            // The client asks for more only as messages are settled.
            var bodies = new List<string>();
            while (bodies.Count < 1000)
            {
                var messages = await receiver.ReceiveMessagesAsync(100, Patience);
                bodies.AddRange(Bodies(messages));
                await Task.WhenAll(messages.Select(message => receiver.CompleteMessageAsync(message)));
            }
            Equal(bodies, Enumerable.Range(0, 1000).Select(number => $"{number}"));
            await t.IsEmpty();
        }),
        new("a-stream-of-messages", null, async t =>
        {
            await t.Send("a", "b", "c");
            var receiver = t.Receiver();
            var bodies = new List<string>();
            using var enough = new CancellationTokenSource(Patience);
            await foreach (var message in receiver.ReceiveMessagesAsync(enough.Token))
            {
                bodies.Add(message.Body.ToString());
                await receiver.CompleteMessageAsync(message);
                if (bodies.Count == 3) break;
            }
            Equal(bodies, new[] { "a", "b", "c" });
            await t.IsEmpty();
        }),
        new("different-outcomes-at-once", null, async t =>
        {
            await t.Send("complete", "abandon", "defer", "dead");
            var receiver = t.Receiver();
            var messages = await Many(receiver, 4);
            await Task.WhenAll(
                receiver.CompleteMessageAsync(messages[0]), receiver.AbandonMessageAsync(messages[1]),
                receiver.DeferMessageAsync(messages[2]), receiver.DeadLetterMessageAsync(messages[3]));
            Equal(Bodies(await t.Receiver().PeekMessagesAsync(5)), new[] { "abandon", "defer" });
            Equal((await One(t.DeadLetters())).Body.ToString(), "dead");
        }),
        new("a-receiver-of-sessions-without-one", new() { ["requiresSession"] = true }, async t =>
        {
            await Fails<InvalidOperationException>(() => t.Receiver().ReceiveMessageAsync(Patience));
        }),
        new("a-connection-that-is-used-again", null, async t =>
        {
            await t.Send("a");
            Equal((await One(t.Deleting())).Body.ToString(), "a");
            foreach (var _ in Enumerable.Range(0, 20))
            {
                await using var sender = t.Client.CreateSender(t.Entity);
                await sender.SendMessageAsync(new("x"));
            }
            Equal((await Many(t.Deleting(), 20)).Count, 20);
        }),
    ];
}
