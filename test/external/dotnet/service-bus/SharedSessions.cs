using Azure.Messaging.ServiceBus;
using static Sessions;
using static Test;

/// <summary>Sessions that are not exclusive: another receiver takes one over with its token.</summary>
static class SharedSessions
{
    static ServiceBusSessionReceiverOptions Shared(string? token = null) =>
        new() { EnableNonExclusiveSession = true, SessionLockToken = token is null ? null : Guid.Parse(token) };

    public static readonly Scenario[] Scenarios =
    [
        new("a-shared-session", Settings, async t =>
        {
            await t.Send(In("a", "1"), In("a", "2"), In("a", "3"), In("a", "4"));
            var session = await t.Client.AcceptSessionAsync(t.Entity, "a", Shared());
            Equal((session.SessionId, session.IsSessionExclusive), ("a", false));
            True(Guid.Parse(session.SessionLockToken) != Guid.Empty, "the session has a lock token");
            await session.CompleteMessageAsync(await One(session));
            await session.AbandonMessageAsync(await One(session), new Dictionary<string, object> { ["n"] = 1 });
            var again = await One(session);
            Equal((again.Body.ToString(), again.DeliveryCount), ("2", 2));
            Equal(again.ApplicationProperties["n"], 1);
            await session.DeferMessageAsync(again);
            await session.CompleteMessageAsync(await session.ReceiveDeferredMessageAsync(again.SequenceNumber));
            await session.DeadLetterMessageAsync(await One(session), "Broken", "no total");
            Equal((await One(t.DeadLetters())).DeadLetterReason, "Broken");
            await session.SetSessionStateAsync(BinaryData.FromString("state"));
            await session.RenewSessionLockAsync();
            await session.CompleteMessageAsync(await One(session));
            await t.IsEmpty();
        }),
        new("a-session-taken-over", Settings, async t =>
        {
            await t.Send(In("a", "1"), In("a", "2"));
            var first = await t.Client.AcceptSessionAsync(t.Entity, "a", Shared());
            await first.SetSessionStateAsync(BinaryData.FromString("state"));
            var message = await One(first);
            await using var client = new ServiceBusClient(t.ConnectionString, OptionsOf());
            var second = await client.AcceptSessionAsync(t.Entity, "a", Shared(first.SessionLockToken));
            Equal((second.SessionLockToken, second.IsSessionExclusive), (first.SessionLockToken, false));
            Equal((await second.GetSessionStateAsync()).ToString(), "state");
            await second.CompleteMessageAsync(message);
            var next = await One(second);
            Equal((next.Body.ToString(), next.DeliveryCount), ("2", 1));
            await FailsFor(ServiceBusFailureReason.SessionLockLost, () => first.GetSessionStateAsync());
            Equal(await first.ReceiveMessageAsync(TimeSpan.FromSeconds(1)), null);
            await Eventually(() => Task.FromResult(first.IsClosed), "the first receiver is closed");
            await first.CloseAsync();
            await second.CompleteMessageAsync(next);
            await t.IsEmpty();
        }),
        new("a-session-taken-over-whose-first-client-ends", Settings, async t =>
        {
            await t.Send(In("a", "1"));
            var firstClient = new ServiceBusClient(t.ConnectionString, OptionsOf());
            var first = await firstClient.AcceptSessionAsync(t.Entity, "a", Shared());
            var message = await One(first);
            var second = await t.Client.AcceptSessionAsync(t.Entity, "a", Shared(first.SessionLockToken));
            await firstClient.DisposeAsync();
            await second.CompleteMessageAsync(message);
            await second.CloseAsync();
            var third = await t.Client.AcceptSessionAsync(t.Entity, "a", Shared());
            True(third.SessionLockToken != first.SessionLockToken, "a session that was released has another token");
        }),
        new("a-session-taken-over-with-a-wrong-token", Settings, async t =>
        {
            await t.Client.AcceptSessionAsync(t.Entity, "a", Shared());
            var wrong = Shared(Guid.NewGuid().ToString());
            await FailsFor(ServiceBusFailureReason.SessionCannotBeLocked, () => t.Client.AcceptSessionAsync(t.Entity, "a", wrong));
            await FailsFor(ServiceBusFailureReason.SessionCannotBeLocked, () => t.Client.AcceptSessionAsync(t.Entity, "a", Shared()));
            await FailsFor(ServiceBusFailureReason.SessionCannotBeLocked, () => t.Client.AcceptSessionAsync(t.Entity, "a"));
        }),
        new("the-next-shared-session", Settings, async t =>
        {
            await t.Send(In("next", "x"));
            var session = await t.Client.AcceptNextSessionAsync(t.Entity, Shared());
            Equal(session.SessionId, "next");
            await session.CompleteMessageAsync(await One(session));
        }),
        new("a-shared-session-that-another-holds-alone", Settings, async t =>
        {
            await t.Client.AcceptSessionAsync(t.Entity, "a");
            await FailsFor(ServiceBusFailureReason.SessionCannotBeLocked, () => t.Client.AcceptSessionAsync(t.Entity, "a", Shared()));
        }),
    ];
}
