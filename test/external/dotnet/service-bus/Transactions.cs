using System.Transactions;
using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using static Test;

/// <summary>Transactions of one entity, and across entities.</summary>
static class Transactions
{
    static TransactionScope Scope() => new(TransactionScopeAsyncFlowOption.Enabled);

    public static readonly Scenario[] Scenarios =
    [
        new("a-transaction-of-sends", null, async t =>
        {
            var sender = t.Client.CreateSender(t.Entity);
            using (var scope = Scope())
            {
                await sender.SendMessageAsync(new("a"));
                await sender.SendMessagesAsync([new("b"), new("c")]);
                await t.IsEmpty(await Outside(t));
                scope.Complete();
            }
            Equal(Bodies(await Many(t.Deleting(), 3)), new[] { "a", "b", "c" });
        }),
        new("a-transaction-rolled-back", null, async t =>
        {
            var sender = t.Client.CreateSender(t.Entity);
            using (Scope()) await sender.SendMessageAsync(new("a"));
            await sender.SendMessageAsync(new("b"));
            Equal((await One(t.Deleting())).Body.ToString(), "b");
        }),
        new("a-transaction-of-settlements", null, async t =>
        {
            await t.Send("a", "b", "c");
            var receiver = t.Receiver();
            var messages = await Many(receiver, 3);
            using (var scope = Scope())
            {
                await receiver.CompleteMessageAsync(messages[0]);
                await receiver.DeadLetterMessageAsync(messages[1], "Broken");
                scope.Complete();
            }
            using (Scope()) await receiver.CompleteMessageAsync(messages[2]);
            await Eventually(async () => (await t.Receiver().PeekMessagesAsync(5)).Count == 1, "one message left");
            await receiver.CompleteMessageAsync(messages[2]);
            Equal((await One(t.DeadLetters())).Body.ToString(), "b");
            await t.IsEmpty();
        }),
        new("a-transaction-that-sends-and-completes", null, async t =>
        {
            await t.Send("question");
            var receiver = t.Receiver();
            var sender = t.Client.CreateSender(t.Entity);
            var message = await One(receiver);
            using (var scope = Scope())
            {
                await receiver.CompleteMessageAsync(message);
                await sender.SendMessageAsync(new("answer"));
                scope.Complete();
            }
            Equal((await One(receiver)).Body.ToString(), "answer");
        }),
        new("a-transaction-across-entities", null, async t =>
        {
            var (queue, topic) = ($"{t.Entity}-queue", $"{t.Entity}-topic");
            await t.Admin.CreateQueueAsync(queue);
            await t.Admin.CreateTopicAsync(topic);
            await t.Admin.CreateSubscriptionAsync(topic, "s");
            await t.Send("1", "2");
            await using var client = new ServiceBusClient(t.ConnectionString, OptionsOf(crossEntity: true));
            var receiver = client.CreateReceiver(t.Entity);
            ServiceBusSender[] senders = [client.CreateSender(queue), client.CreateSender(topic)];
            var message = await One(receiver);
            using (var scope = Scope())
            {
                await receiver.CompleteMessageAsync(message);
                foreach (var sender in senders) await sender.SendMessageAsync(new(message));
                scope.Complete();
            }
            Equal((await One(t.Deleting(queue))).Body.ToString(), "1");
            Equal((await One(t.Client.CreateReceiver(topic, "s"))).Body.ToString(), "1");

            var other = await One(receiver);
            using (Scope())
            {
                await receiver.CompleteMessageAsync(other);
                foreach (var sender in senders) await sender.SendMessageAsync(new(other));
            }
            await receiver.AbandonMessageAsync(other);
            Equal((await One(receiver)).Body.ToString(), "2");
            await t.IsEmpty(t.Receiver(queue));
        }),
        new("a-transaction-with-deferred-messages", null, async t =>
        {
            await t.Send("x");
            var receiver = t.Receiver();
            var message = await One(receiver);
            await receiver.DeferMessageAsync(message);
            var deferred = await receiver.ReceiveDeferredMessageAsync(message.SequenceNumber);
            using (var scope = Scope())
            {
                await receiver.CompleteMessageAsync(deferred);
                await t.Client.CreateSender(t.Entity).SendMessageAsync(new("next"));
                scope.Complete();
            }
            Equal(Bodies(await t.Receiver().PeekMessagesAsync(5)), new[] { "next" });
        }),
        new("a-transaction-of-schedules", null, async t =>
        {
            var sender = t.Client.CreateSender(t.Entity);
            var later = DateTimeOffset.UtcNow.AddHours(1);
            using (var scope = Scope())
            {
                await sender.ScheduleMessageAsync(new("kept"), later);
                scope.Complete();
            }
            using (Scope()) await sender.ScheduleMessageAsync(new("lost"), later);
            await sender.ScheduleMessageAsync(new("other"), later);
            Equal(Bodies(await t.Receiver().PeekMessagesAsync(5)), new[] { "kept", "other" });
        }),
        new("a-transaction-in-a-session", Sessions.Settings, async t =>
        {
            await t.Send(Sessions.In("a", "1"));
            var session = await t.Client.AcceptSessionAsync(t.Entity, "a");
            var message = await One(session);
            using (var scope = Scope())
            {
                await session.CompleteMessageAsync(message);
                await t.Client.CreateSender(t.Entity).SendMessageAsync(Sessions.In("a", "2"));
                scope.Complete();
            }
            Equal((await One(session)).Body.ToString(), "2");
        }),
    ];

    /** A receiver of the entity; nothing of the scope flows into its calls. */
    static Task<ServiceBusReceiver> Outside(Test t) => Task.FromResult(t.Receiver());
}
