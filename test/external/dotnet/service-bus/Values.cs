using Azure.Messaging.ServiceBus;
using static Test;

/// <summary>Every type that the client takes as an application property.</summary>
static class Values
{
    static readonly DateTimeOffset when = new(2026, 11, 22, 12, 30, 15, 250, TimeSpan.FromHours(2));


    static Scenario Kept(string name, Dictionary<string, object?> given) => new(name, null, async t =>
    {
        var message = new ServiceBusMessage("x");
        foreach (var (key, value) in given) message.ApplicationProperties[key] = value!;
        var received = await t.RoundTrip(message);
        foreach (var (key, value) in given)
        {
            Equal(received.ApplicationProperties[key], value);
            Equal(received.ApplicationProperties[key]?.GetType(), value?.GetType());
        }
    });

    public static readonly Scenario[] Scenarios =
    [
        Kept("properties-of-integers", new()
        {
            ["sbyte"] = (sbyte)-8, ["short"] = (short)-1600, ["int"] = -320_000, ["long"] = long.MinValue,
            ["byte"] = (byte)200, ["ushort"] = (ushort)60_000, ["uint"] = uint.MaxValue, ["ulong"] = ulong.MaxValue,
        }),
        Kept("properties-of-floats", new() { ["float"] = 1.5f, ["double"] = 0.1, ["nan"] = double.NaN, ["zero"] = -0.0 }),
        Kept("properties-of-decimals", new()
        {
            ["money"] = 12.50m, ["negative"] = -0.0001m, ["most"] = decimal.MaxValue, ["least"] = decimal.MinValue, ["zero"] = 0m,
        }),
        Kept("properties-of-texts", new() { ["text"] = "añil 漢 🚀", ["empty"] = "", ["char"] = 'é', ["yes"] = true, ["no"] = false, ["none"] = null }),
        Kept("properties-of-guids", new() { ["guid"] = Guid.Parse("00112233-4455-6677-8899-aabbccddeeff"), ["empty"] = Guid.Empty }),
        Kept("properties-of-times", new()
        {
            ["utc"] = when.UtcDateTime, ["offset"] = when, ["span"] = new TimeSpan(1, 2, 3, 4, 5), ["negative"] = TimeSpan.FromTicks(-1),
        }),
        Kept("properties-of-addresses", new() { ["uri"] = new Uri("https://example.org/a?b=c#d"), ["relative"] = new Uri("/a", UriKind.Relative) }),
        new("properties-of-bytes-and-streams", null, async t =>
        {
            var message = new ServiceBusMessage("x");
            message.ApplicationProperties["bytes"] = new byte[] { 0, 255 };
            message.ApplicationProperties["stream"] = new MemoryStream([1, 2, 3]);
            var received = (await t.RoundTrip(message)).ApplicationProperties;
            Equal(received["bytes"], new byte[] { 0, 255 });
            Equal(BytesOf(received["stream"]), new byte[] { 1, 2, 3 });
        }),
        new("properties-that-cannot-be-sent", null, async t =>
        {
            var message = new ServiceBusMessage("x") { ApplicationProperties = { ["object"] = new object() } };
            await Fails<System.Runtime.Serialization.SerializationException>(() => t.Send(message));
        }),
        new("filters-on-typed-properties", new() { ["topic"] = new[] { "typed" } }, async t =>
        {
            await using var rules = t.Client.CreateRuleManager(t.Entity, "typed");
            await rules.DeleteRuleAsync("$Default");
            var id = Guid.NewGuid();
            await rules.CreateRuleAsync("guid", new Azure.Messaging.ServiceBus.Administration.CorrelationRuleFilter { ApplicationProperties = { ["id"] = id } });
            await rules.CreateRuleAsync("number", new Azure.Messaging.ServiceBus.Administration.SqlRuleFilter("total > 100"));
            await t.Send(
                new ServiceBusMessage("no") { ApplicationProperties = { ["id"] = Guid.NewGuid(), ["total"] = 1 } },
                new("id") { ApplicationProperties = { ["id"] = id } },
                new("int") { ApplicationProperties = { ["total"] = 101 } },
                new("double") { ApplicationProperties = { ["total"] = 100.5 } });
            Equal(Bodies(await Many(t.Client.CreateReceiver(t.Entity, "typed"), 3)), new[] { "id", "int", "double" });
        }),
    ];

    static byte[] BytesOf(object value)
    {
        if (value is byte[] bytes) return bytes;
        using var copy = new MemoryStream();
        ((Stream)value).CopyTo(copy);
        return copy.ToArray();
    }
}
