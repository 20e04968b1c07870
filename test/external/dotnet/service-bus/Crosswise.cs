using System.Buffers.Binary;
using System.Collections;
using System.Globalization;
using System.Text.Json;
using System.Text.Json.Nodes;
using Azure.Core.Amqp;
using Azure.Messaging.ServiceBus;

/// <summary>Values of every AMQP type, as JSON objects with the type <c>t</c> and the value <c>v</c>.</summary>
static class Crosswise
{
    /// <summary>Sends the cases of a file, and prints the name of each, and why this client cannot send it.</summary>
    public static async Task Write(ServiceBusClient client, string topic, string file)
    {
        var sender = client.CreateSender(topic);
        foreach (var one in JsonNode.Parse(await File.ReadAllTextAsync(file))!.AsArray())
        {
            JsonObject line = new() { ["name"] = one!["name"]!.DeepClone() };
            try
            {
                await sender.SendMessageAsync(MessageOf(one));
            }
            catch (Exception error) when (error is NotSupportedException or ArgumentException or System.Runtime.Serialization.SerializationException)
            {
                line["cannot"] = error.Message;
            }
            Console.WriteLine(line.ToJsonString());
        }
    }

    /// <summary>Prints the name, kind and values of each message, with the types that this client shows.</summary>
    public static async Task Read(ServiceBusClient client, string topic, string subscription, int count)
    {
        var receiver = client.CreateReceiver(topic, subscription, new ServiceBusReceiverOptions { ReceiveMode = ServiceBusReceiveMode.ReceiveAndDelete });
        while (count > 0)
        {
            foreach (var message in await receiver.ReceiveMessagesAsync(count))
            {
                count--;
                var (kind, values) = ContentOf(message);
                JsonObject line = new() { ["name"] = message.Subject, ["kind"] = kind, ["values"] = new JsonArray([.. values.Select(Shown)]) };
                Console.WriteLine(line.ToJsonString());
            }
        }
    }

    static ServiceBusMessage MessageOf(JsonNode one)
    {
        var values = one["values"]!.AsArray().Select(value => value!);
        var message = new ServiceBusMessage { Subject = one["name"]!.GetValue<string>() };
        var raw = message.GetRawAmqpMessage();
        switch (one["kind"]!.GetValue<string>())
        {
            case "property":
                message.ApplicationProperties["value"] = Native(values.First())!;
                break;
            case "data":
                raw.Body = AmqpMessageBody.FromData(values.Select(value => (ReadOnlyMemory<byte>)Convert.FromHexString(Text(value))));
                break;
            case "sequence":
                raw.Body = AmqpMessageBody.FromSequence([[.. values.Select(value => Native(value)!)]]);
                break;
            default:
                raw.Body = AmqpMessageBody.FromValue(Native(values.First()) ?? throw new NotSupportedException("null is no body to it"));
                break;
        }
        return message;
    }

    static (string Kind, IEnumerable<object?> Values) ContentOf(ServiceBusReceivedMessage message)
    {
        if (message.ApplicationProperties.TryGetValue("value", out var property)) return ("property", [property]);
        var body = message.GetRawAmqpMessage().Body;
        if (body.TryGetData(out var data)) return ("data", data!.Select(section => (object?)section.ToArray()));
        if (body.TryGetSequence(out var lists)) return ("sequence", lists!.SelectMany(list => list));
        return body.TryGetValue(out var value) ? ("value", [value]) : ("value", [null]);
    }

    static string Text(JsonNode typed) => typed["v"]!.ToString();

    static object? Native(JsonNode typed)
    {
        var type = typed["t"]!.GetValue<string>();
        var invariant = CultureInfo.InvariantCulture;
        return type switch
        {
            "null" => null,
            "boolean" => typed["v"]!.GetValue<bool>(),
            "string" => Text(typed),
            "byte" => sbyte.Parse(Text(typed), invariant),
            "short" => short.Parse(Text(typed), invariant),
            "int" => int.Parse(Text(typed), invariant),
            "long" => long.Parse(Text(typed), invariant),
            "ubyte" => byte.Parse(Text(typed), invariant),
            "ushort" => ushort.Parse(Text(typed), invariant),
            "uint" => uint.Parse(Text(typed), invariant),
            "ulong" => ulong.Parse(Text(typed), invariant),
            "float" => BinaryPrimitives.ReadSingleBigEndian(Convert.FromHexString(Text(typed))),
            "double" => BinaryPrimitives.ReadDoubleBigEndian(Convert.FromHexString(Text(typed))),
            "char" => (char)int.Parse(Text(typed), invariant),
            "timestamp" => DateTimeOffset.FromUnixTimeMilliseconds(long.Parse(Text(typed), invariant)).UtcDateTime,
            "uuid" => Guid.Parse(Text(typed)),
            "binary" => Convert.FromHexString(Text(typed)),
            "list" => typed["v"]!.AsArray().Select(item => Native(item!)).ToList(),
            "map" => typed["v"]!.AsArray().ToDictionary(pair => Text(pair![0]!), pair => Native(pair![1]!)),
            "array" => typed["v"]!.AsArray().Select(item => item!.GetValue<int>()).ToArray(),
            _ => throw new NotSupportedException($"it has no {type}"),
        };
    }

    static JsonNode Shown(object? value)
    {
        static JsonObject Typed(string type, JsonNode? shown) => new() { ["t"] = type, ["v"] = shown };
        static string Hex<T>(T number, Action<byte[], T> write, int length)
        {
            var bytes = new byte[length];
            write(bytes, number);
            return Convert.ToHexStringLower(bytes);
        }
        return value switch
        {
            null => new JsonObject { ["t"] = "null" },
            bool yes => Typed("boolean", yes),
            string text => Typed("string", text),
            sbyte number => Typed("byte", $"{number}"),
            short number => Typed("short", $"{number}"),
            int number => Typed("int", $"{number}"),
            long number => Typed("long", $"{number}"),
            byte number => Typed("ubyte", $"{number}"),
            ushort number => Typed("ushort", $"{number}"),
            uint number => Typed("uint", $"{number}"),
            ulong number => Typed("ulong", $"{number}"),
            float number => Typed("float", Hex(number, (bytes, it) => BinaryPrimitives.WriteSingleBigEndian(bytes, it), 4)),
            double number => Typed("double", Hex(number, (bytes, it) => BinaryPrimitives.WriteDoubleBigEndian(bytes, it), 8)),
            decimal number => Typed("decimal", number.ToString(CultureInfo.InvariantCulture)),
            char one => Typed("char", $"{(int)one}"),
            DateTime time => Typed("timestamp", $"{new DateTimeOffset(time).ToUnixTimeMilliseconds()}"),
            Guid id => Typed("uuid", $"{id}"),
            byte[] bytes => Typed("binary", Convert.ToHexStringLower(bytes)),
            ArraySegment<byte> bytes => Typed("binary", Convert.ToHexStringLower(bytes)),
            int[] items => new JsonObject { ["t"] = "array", ["of"] = "int", ["v"] = new JsonArray([.. items.Select(item => (JsonNode)item)]) },
            IDictionary pairs => Typed("map", new JsonArray([.. pairs.Keys.Cast<object>().Select(key => new JsonArray(Shown(key), Shown(pairs[key])))])),
            IEnumerable items => Typed("list", new JsonArray([.. items.Cast<object?>().Select(Shown)])),
            _ => Typed(value.GetType().Name, $"{value}"),
        };
    }
}
