using Azure.Messaging.ServiceBus;
using static Test;

/// <summary>Sessions that one receiver holds.</summary>
static class Sessions
{
    public static readonly Dictionary<string, object> Settings = new() { ["requiresSession"] = true };

    public static ServiceBusMessage In(string session, string body) => new(body) { SessionId = session };

    static Task<ServiceBusSessionReceiver> Accept(Test t, string session) => t.Client.AcceptSessionAsync(t.Entity, session);

    public static readonly Scenario[] Scenarios =
    [
        new("a-session-in-order", Settings, async t =>
        {
            await t.Send(In("a", "1"), In("b", "other"), In("a", "2"));
            var session = await Accept(t, "a");
            Equal(session.SessionId, "a");
            True(session.SessionLockedUntil > DateTimeOffset.UtcNow, "the session is locked");
            foreach (var body in new[] { "1", "2" })
            {
                var message = await One(session);
                Equal((message.Body.ToString(), message.SessionId), (body, "a"));
                await session.CompleteMessageAsync(message);
            }
        }),
        new("the-next-available-session", Settings, async t =>
        {
            await t.Send(In("next", "x"));
            var session = await t.Client.AcceptNextSessionAsync(t.Entity);
            Equal(session.SessionId, "next");
            await session.CompleteMessageAsync(await One(session));
        }),
        new("no-available-session", Settings, async t =>
        {
            await using var client = new ServiceBusClient(t.ConnectionString, OptionsOf(seconds: 1));
            await FailsFor(ServiceBusFailureReason.ServiceTimeout, () => client.AcceptNextSessionAsync(t.Entity));
        }),
        new("a-session-that-comes-while-waiting", Settings, async t =>
        {
            var waiting = t.Client.AcceptNextSessionAsync(t.Entity);
            await Task.Delay(200);
            await t.Send(In("late", "x"));
            Equal((await waiting).SessionId, "late");
        }),
        new("a-session-that-is-held", Settings, async t =>
        {
            await Accept(t, "a");
            await using var other = new ServiceBusClient(t.ConnectionString, OptionsOf());
            await FailsFor(ServiceBusFailureReason.SessionCannotBeLocked, () => other.AcceptSessionAsync(t.Entity, "a"));
        }),
        new("a-session-that-is-closed", Settings, async t =>
        {
            await t.Send(In("a", "x"));
            var first = await Accept(t, "a");
            await One(first);
            await first.CloseAsync();
            var message = await One(await Accept(t, "a"));
            Equal(message.DeliveryCount, 1);
        }),
        new("session-state", Settings, async t =>
        {
            var session = await Accept(t, "a");
            Equal(await session.GetSessionStateAsync(), null);
            await session.SetSessionStateAsync(new BinaryData(new byte[] { 0, 1, 255 }));
            Equal((await session.GetSessionStateAsync()).ToArray(), new byte[] { 0, 1, 255 });
            await session.CloseAsync();
            var again = await Accept(t, "a");
            Equal((await again.GetSessionStateAsync()).ToArray(), new byte[] { 0, 1, 255 });
            await again.SetSessionStateAsync(null);
            Equal(await again.GetSessionStateAsync(), null);
        }),
        new("renewing-a-session", new() { ["requiresSession"] = true, ["lockDuration"] = "PT5S" }, async t =>
        {
            var session = await Accept(t, "a");
            var before = session.SessionLockedUntil;
            await Task.Delay(100);
            await session.RenewSessionLockAsync();
            True(session.SessionLockedUntil > before, "the session is locked for longer");
        }),
        new("a-lost-session", new() { ["requiresSession"] = true, ["lockDuration"] = "PT0.5S" }, async t =>
        {
            await t.Send(In("a", "x"));
            var session = await Accept(t, "a");
            var message = await One(session);
            await Task.Delay(1000);
            // The client closes the receiver when it hears of it.
            var error = await Fails<Exception>(() => session.CompleteMessageAsync(message));
            True(error is ObjectDisposedException or ServiceBusException { Reason: ServiceBusFailureReason.SessionLockLost }, $"the session is lost, and not: {error}");
            await Eventually(() => Task.FromResult(session.IsClosed), "the receiver is closed");
        }),
        new("settling-in-a-session", Settings, async t =>
        {
            await t.Send(In("a", "1"), In("a", "2"), In("a", "3"));
            var session = await Accept(t, "a");
            await session.AbandonMessageAsync(await One(session));
            var again = await One(session);
            Equal((again.Body.ToString(), again.DeliveryCount), ("1", 2));
            await session.DeferMessageAsync(again);
            var deferred = await session.ReceiveDeferredMessageAsync(again.SequenceNumber);
            await session.CompleteMessageAsync(deferred);
            await session.DeadLetterMessageAsync(await One(session), "Broken");
            var letter = await One(t.DeadLetters());
            Equal((letter.SessionId, letter.Body.ToString(), letter.DeadLetterReason), ("a", "2", "Broken"));
        }),
        new("peeking-in-a-session", Settings, async t =>
        {
            await t.Send(In("b", "1"), In("a", "other"), In("b", "2"));
            Equal(Bodies(await (await Accept(t, "b")).PeekMessagesAsync(5)), new[] { "1", "2" });
            Equal(Bodies(await t.Receiver().PeekMessagesAsync(5)), new[] { "1", "other", "2" });
        }),
        new("the-list-of-sessions", Settings, async t =>
        {
            await t.Send(In("b", "1"), In("a", "2"));
            var held = await Accept(t, "state");
            await held.SetSessionStateAsync(BinaryData.FromString("s"));
            Equal((await ListOf(t.Client.GetMessageSessionsAsync(t.Entity))).Order(), new[] { "a", "b", "state" });
            Equal((await ListOf(t.Client.GetMessageSessionsAsync(t.Entity, DateTimeOffset.UtcNow.AddHours(1)))).Count, 0);
        }),
        new("the-list-of-many-sessions", Settings, async t =>
        {
            await t.Client.CreateSender(t.Entity).SendMessagesAsync(Enumerable.Range(0, 250).Select(number => In($"{number:000}", "x")));
            var ids = await ListOf(t.Client.GetMessageSessionsAsync(t.Entity));
            Equal(ids.Order(), Enumerable.Range(0, 250).Select(number => $"{number:000}"));
        }),
        new("messages-scheduled-in-a-session", Settings, async t =>
        {
            var sender = t.Client.CreateSender(t.Entity);
            await sender.ScheduleMessageAsync(In("a", "x"), DateTimeOffset.UtcNow.AddSeconds(0.3));
            var session = await Accept(t, "a");
            Equal((await One(session)).Body.ToString(), "x");
        }),
        new("a-message-without-a-session", Settings, async t =>
        {
            await Fails<InvalidOperationException>(() => t.Send("x"));
        }),
    ];

    static async Task<List<string>> ListOf(IAsyncEnumerable<string> items)
    {
        var found = new List<string>();
        await foreach (var item in items) found.Add(item);
        return found;
    }
}
