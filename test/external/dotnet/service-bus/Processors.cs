using System.Collections.Concurrent;
using Azure.Messaging.ServiceBus;
using static Sessions;
using static Test;

/// <summary>Processors of messages and of sessions.</summary>
static class Processors
{
    public static readonly Scenario[] Scenarios =
    [
        new("a-processor", null, async t =>
        {
            await t.Send("a", "b", "c");
            var bodies = new ConcurrentBag<string>();
            await using var processor = t.Client.CreateProcessor(t.Entity);
            processor.ProcessMessageAsync += given => { bodies.Add(given.Message.Body.ToString()); return Task.CompletedTask; };
            processor.ProcessErrorAsync += given => Task.CompletedTask;
            await processor.StartProcessingAsync();
            await Eventually(() => Task.FromResult(bodies.Count == 3), "three messages");
            await processor.StopProcessingAsync();
            Equal(bodies.Order(), new[] { "a", "b", "c" });
            await t.IsEmpty();
        }),
        new("a-processor-of-many-at-once", null, async t =>
        {
            await t.Client.CreateSender(t.Entity).SendMessagesAsync(Enumerable.Range(0, 500).Select(number => new ServiceBusMessage($"{number}")));
            var bodies = new ConcurrentBag<string>();
            await using var processor = t.Client.CreateProcessor(t.Entity, new ServiceBusProcessorOptions
            {
                MaxConcurrentCalls = 8, PrefetchCount = 50, AutoCompleteMessages = false,
            });
            processor.ProcessMessageAsync += async given =>
            {
                bodies.Add(given.Message.Body.ToString());
                await given.CompleteMessageAsync(given.Message);
            };
            processor.ProcessErrorAsync += given => Task.CompletedTask;
            await processor.StartProcessingAsync();
            await Eventually(() => Task.FromResult(bodies.Count >= 500), "500 messages");
            await processor.StopProcessingAsync();
            Equal(bodies.Distinct().Count(), 500);
            Equal(bodies.Count, 500);
            await t.IsEmpty();
        }),
        new("a-processor-that-throws", new() { ["maxDeliveryCount"] = 3 }, async t =>
        {
            await t.Send("x");
            var errors = new ConcurrentBag<ServiceBusErrorSource>();
            await using var processor = t.Client.CreateProcessor(t.Entity);
            processor.ProcessMessageAsync += given => throw new InvalidOperationException("no");
            processor.ProcessErrorAsync += given => { errors.Add(given.ErrorSource); return Task.CompletedTask; };
            await processor.StartProcessingAsync();
            Equal((await One(t.DeadLetters())).DeadLetterReason, "MaxDeliveryCountExceeded");
            await processor.StopProcessingAsync();
            Equal(errors, Enumerable.Repeat(ServiceBusErrorSource.ProcessMessageCallback, 3));
        }),
        new("a-processor-that-renews-locks", new() { ["lockDuration"] = "PT8S" }, async t =>
        {
            await t.Send("x");
            var ended = new TaskCompletionSource();
            await using var processor = t.Client.CreateProcessor(t.Entity);
            processor.ProcessMessageAsync += async given =>
            {
                await Task.Delay(10_000);
                await given.CompleteMessageAsync(given.Message);
                ended.SetResult();
            };
            processor.ProcessErrorAsync += given => { ended.TrySetException(given.Exception); return Task.CompletedTask; };
            await processor.StartProcessingAsync();
            await ended.Task.WaitAsync(Patience);
            await processor.StopProcessingAsync();
            await t.IsEmpty();
        }),
        new("a-processor-that-settles-in-every-way", null, async t =>
        {
            await t.Send("complete", "abandon", "defer", "dead");
            var seen = new ConcurrentBag<string>();
            await using var processor = t.Client.CreateProcessor(t.Entity);
            processor.ProcessMessageAsync += async given =>
            {
                var body = given.Message.Body.ToString();
                if (given.Message.DeliveryCount > 1) await given.CompleteMessageAsync(given.Message);
                else if (body == "abandon") await given.AbandonMessageAsync(given.Message);
                else if (body == "defer") await given.DeferMessageAsync(given.Message);
                else if (body == "dead") await given.DeadLetterMessageAsync(given.Message, "Broken");
                seen.Add(body);
            };
            processor.ProcessErrorAsync += given => Task.CompletedTask;
            await processor.StartProcessingAsync();
            await Eventually(() => Task.FromResult(seen.Count == 5), "five deliveries");
            await processor.StopProcessingAsync();
            Equal(Bodies(await t.Receiver().PeekMessagesAsync(5)), new[] { "defer" });
            Equal((await One(t.DeadLetters())).DeadLetterReason, "Broken");
        }),
        new("a-processor-of-a-subscription", new() { ["topic"] = new[] { "one" } }, async t =>
        {
            var came = new TaskCompletionSource<string>();
            await using var processor = t.Client.CreateProcessor(t.Entity, "one", new ServiceBusProcessorOptions { ReceiveMode = ServiceBusReceiveMode.ReceiveAndDelete });
            processor.ProcessMessageAsync += given => { came.SetResult(given.Message.Body.ToString()); return Task.CompletedTask; };
            processor.ProcessErrorAsync += given => Task.CompletedTask;
            await processor.StartProcessingAsync();
            await t.Send("x");
            Equal(await came.Task.WaitAsync(Patience), "x");
            await processor.StopProcessingAsync();
        }),
        new("a-processor-that-starts-and-stops", null, async t =>
        {
            var bodies = new ConcurrentBag<string>();
            await using var processor = t.Client.CreateProcessor(t.Entity);
            processor.ProcessMessageAsync += given => { bodies.Add(given.Message.Body.ToString()); return Task.CompletedTask; };
            processor.ProcessErrorAsync += given => Task.CompletedTask;
            foreach (var number in Enumerable.Range(1, 3))
            {
                await processor.StartProcessingAsync();
                await t.Send($"{number}");
                await Eventually(() => Task.FromResult(bodies.Count == number), $"message {number}");
                await processor.StopProcessingAsync();
            }
            Equal(bodies.Order(), new[] { "1", "2", "3" });
        }),
        new("a-session-processor", Settings, async t =>
        {
            await t.Send([.. Enumerable.Range(0, 12).Select(number => In($"{number % 3}", $"{number}"))]);
            var bodies = new ConcurrentDictionary<string, ConcurrentQueue<int>>();
            var closed = new ConcurrentBag<string>();
            await using var processor = t.Client.CreateSessionProcessor(t.Entity, new ServiceBusSessionProcessorOptions
            {
                MaxConcurrentSessions = 3, SessionIdleTimeout = TimeSpan.FromSeconds(1),
            });
            processor.ProcessMessageAsync += async given =>
            {
                bodies.GetOrAdd(given.SessionId, _ => new()).Enqueue(int.Parse(given.Message.Body.ToString()));
                await given.SetSessionStateAsync(given.Message.Body);
            };
            processor.ProcessErrorAsync += given => Task.CompletedTask;
            processor.SessionClosingAsync += given => { closed.Add(given.SessionId); return Task.CompletedTask; };
            await processor.StartProcessingAsync();
            await Eventually(() => Task.FromResult(bodies.Values.Sum(one => one.Count) == 12), "twelve messages");
            await Eventually(() => Task.FromResult(closed.Distinct().Count() == 3), "three closed sessions");
            await processor.StopProcessingAsync();
            foreach (var session in Enumerable.Range(0, 3))
                Equal(bodies[$"{session}"], Enumerable.Range(0, 4).Select(number => number * 3 + session));
            Equal((await (await t.Client.AcceptSessionAsync(t.Entity, "2")).GetSessionStateAsync()).ToString(), "11");
        }),
        new("a-session-processor-of-named-sessions", Settings, async t =>
        {
            await t.Send(In("yes", "1"), In("no", "2"));
            var came = new TaskCompletionSource<string>();
            var options = new ServiceBusSessionProcessorOptions { SessionIds = { "yes" } };
            await using var processor = t.Client.CreateSessionProcessor(t.Entity, options);
            processor.ProcessMessageAsync += given => { came.TrySetResult(given.Message.Body.ToString()); return Task.CompletedTask; };
            processor.ProcessErrorAsync += given => Task.CompletedTask;
            await processor.StartProcessingAsync();
            Equal(await came.Task.WaitAsync(Patience), "1");
            await processor.StopProcessingAsync();
            Equal(Bodies(await t.Receiver().PeekMessagesAsync(5)), new[] { "2" });
        }),
        new("a-session-that-is-released-while-processing", Settings, async t =>
        {
            await t.Send(In("a", "1"));
            var came = new TaskCompletionSource();
            await using var processor = t.Client.CreateSessionProcessor(t.Entity);
            processor.ProcessMessageAsync += given => { given.ReleaseSession(); came.TrySetResult(); return Task.CompletedTask; };
            processor.ProcessErrorAsync += given => Task.CompletedTask;
            await processor.StartProcessingAsync();
            await came.Task.WaitAsync(Patience);
            await processor.StopProcessingAsync();
            Equal((await t.Client.AcceptSessionAsync(t.Entity, "a")).SessionId, "a");
        }),
    ];
}
