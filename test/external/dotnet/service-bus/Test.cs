using System.Collections;
using Azure.Core.Amqp;
using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;

/// <summary>A scenario, and the settings of its queue or the subscriptions of its topic.</summary>
sealed record Scenario(string Name, Dictionary<string, object>? Settings, Func<Test, Task> Run);

/// <summary>An expectation that does not hold; it ends its scenario alone.</summary>
sealed class ExpectationException(string message) : Exception(message);

/// <summary>A client of its own for a scenario, with the steps that many of them have.</summary>
sealed class Test(string connectionString, string entity) : IAsyncDisposable
{
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    public static readonly bool IsOverWebSockets = Environment.GetEnvironmentVariable("TRANSPORT") == "websockets";

    public string ConnectionString { get; } = connectionString;

    /// <summary>The queue or topic of the scenario.</summary>
    public string Entity { get; } = entity;

    public ServiceBusClient Client { get; } = new(connectionString, OptionsOf());

    public ServiceBusAdministrationClient Admin { get; } = new(connectionString);

    public static ServiceBusClientOptions OptionsOf(bool crossEntity = false, double seconds = 30) => new()
    {
        EnableCrossEntityTransactions = crossEntity,
        TransportType = IsOverWebSockets ? ServiceBusTransportType.AmqpWebSockets : ServiceBusTransportType.AmqpTcp,
        RetryOptions = new() { MaxRetries = 0, TryTimeout = TimeSpan.FromSeconds(seconds) },
    };

    public ServiceBusReceiver Receiver(string? entity = null) => Client.CreateReceiver(entity ?? Entity);

    public ServiceBusReceiver Deleting(string? entity = null) =>
        Client.CreateReceiver(entity ?? Entity, new ServiceBusReceiverOptions { ReceiveMode = ServiceBusReceiveMode.ReceiveAndDelete });

    public ServiceBusReceiver DeadLetters() =>
        Client.CreateReceiver(Entity, new ServiceBusReceiverOptions { SubQueue = SubQueue.DeadLetter });

    public async Task Send(params ServiceBusMessage[] messages)
    {
        await using var sender = Client.CreateSender(Entity);
        foreach (var message in messages) await sender.SendMessageAsync(message);
    }

    public Task Send(params string[] bodies) => Send(bodies.Select(body => new ServiceBusMessage(body)).ToArray());

    public static async Task<ServiceBusReceivedMessage> One(ServiceBusReceiver receiver) =>
        await receiver.ReceiveMessageAsync(Patience) ?? throw new ExpectationException("no message came");

    public static async Task<List<ServiceBusReceivedMessage>> Many(ServiceBusReceiver receiver, int count)
    {
        var messages = new List<ServiceBusReceivedMessage>();
        while (messages.Count < count)
        {
            var some = await receiver.ReceiveMessagesAsync(count - messages.Count, Patience);
            if (some.Count == 0) throw new ExpectationException($"{messages.Count} of {count} messages came");
            messages.AddRange(some);
        }
        return messages;
    }

    public async Task<ServiceBusReceivedMessage> RoundTrip(ServiceBusMessage message)
    {
        await Send(message);
        await using var receiver = Receiver();
        var received = await One(receiver);
        await receiver.CompleteMessageAsync(received);
        return received;
    }

    public async Task<AmqpAnnotatedMessage> Annotated(AmqpAnnotatedMessage message)
    {
        var given = new ServiceBusMessage();
        var raw = given.GetRawAmqpMessage();
        raw.Body = message.Body;
        foreach (var (key, value) in message.MessageAnnotations) raw.MessageAnnotations[key] = value;
        foreach (var (key, value) in message.Footer) raw.Footer[key] = value;
        foreach (var (key, value) in message.DeliveryAnnotations) raw.DeliveryAnnotations[key] = value;
        if (message.HasSection(AmqpMessageSection.Header))
        {
            raw.Header.Durable = message.Header.Durable;
            raw.Header.Priority = message.Header.Priority;
        }
        return (await RoundTrip(given)).GetRawAmqpMessage();
    }

    public async Task IsEmpty(ServiceBusReceiver? receiver = null) =>
        Equal((await (receiver ?? Receiver()).PeekMessagesAsync(10)).Count, 0);

    public static IEnumerable<string> Bodies(IEnumerable<ServiceBusReceivedMessage> messages) =>
        messages.Select(message => message.Body.ToString());

    /// <summary>Compares sequences item by item, and everything else by its own equality.</summary>
    public static void Equal(object? actual, object? expected)
    {
        if (!Same(actual, expected)) throw new ExpectationException($"expected {Shown(expected)}, and it is {Shown(actual)}");
    }

    public static void True(bool holds, string what)
    {
        if (!holds) throw new ExpectationException($"expected that {what}");
    }

    public static async Task<TError> Fails<TError>(Func<Task> action) where TError : Exception
    {
        try
        {
            await action();
        }
        catch (TError error)
        {
            return error;
        }
        throw new ExpectationException($"expected a {typeof(TError).Name}, and there is no error");
    }

    public static async Task FailsFor(ServiceBusFailureReason reason, Func<Task> action)
    {
        var error = await Fails<ServiceBusException>(action);
        if (error.Reason != reason) throw new ExpectationException($"expected {reason}, and it is {error}");
    }

    /// <summary>Waits until something holds, which takes a moment.</summary>
    public static async Task Eventually(Func<Task<bool>> holds, string what)
    {
        for (var end = DateTime.UtcNow + Patience; !await holds(); await Task.Delay(50))
            True(DateTime.UtcNow < end, $"{what} within {Patience.TotalSeconds} s");
    }

    static bool Same(object? one, object? other) => (one, other) switch
    {
        (string a, string b) => a == b,
        (IDictionary a, IDictionary b) => a.Count == b.Count && a.Keys.Cast<object>().All(key => b.Contains(key) && Same(a[key], b[key])),
        (IEnumerable a, IEnumerable b) => a.Cast<object?>().Count() == b.Cast<object?>().Count()
            && a.Cast<object?>().Zip(b.Cast<object?>()).All(pair => Same(pair.First, pair.Second)),
        _ => Equals(one, other),
    };

    static string Shown(object? value) => value switch
    {
        null => "null",
        string text => $"\"{text}\"",
        IEnumerable items => $"[{string.Join(", ", items.Cast<object?>().Take(20).Select(Shown))}]",
        _ => $"{value} ({value.GetType().Name})",
    };

    public async ValueTask DisposeAsync() => await Client.DisposeAsync();
}
