using System.Text;
using Amqp;
using Amqp.Framing;
using Azure.Messaging.ServiceBus;
using Microsoft.Azure.Amqp;
using Microsoft.Azure.Amqp.Sasl;
using Microsoft.Azure.Amqp.Transport;
using static Test;
using LiteAddress = Amqp.Address;
using LiteConnection = Amqp.Connection;
using LiteMessage = Amqp.Message;
using LiteSession = Amqp.Session;
using Framing = Microsoft.Azure.Amqp.Framing;

/// <summary>AMQPNetLite, and the library below the official client.</summary>
static class OtherLibraries
{
    public static readonly Scenario[] Scenarios =
    [
        new("amqpnetlite-with-the-key", null, async t =>
        {
            var settings = ServiceBusConnectionStringProperties.Parse(t.ConnectionString);
            LiteAddress address = new(settings.Endpoint.Host, settings.Endpoint.Port, settings.SharedAccessKeyName, settings.SharedAccessKey, "/", "amqp");
            var connection = await LiteConnection.Factory.CreateAsync(address);
            LiteSession session = new(connection);
            SenderLink sender = new(session, "sender", t.Entity);
            foreach (var body in new[] { "a", "b", "c" })
                await sender.SendAsync(new LiteMessage(body) { Properties = new() { MessageId = body }, ApplicationProperties = new() { ["n"] = 1 } });
            ReceiverLink receiver = new(session, "receiver", t.Entity);
            receiver.SetCredit(10);
            LiteMessage[] messages = [await receiver.ReceiveAsync(Patience), await receiver.ReceiveAsync(Patience), await receiver.ReceiveAsync(Patience)];
            Equal(messages.Select(message => message.Body), new[] { "a", "b", "c" });
            Equal(messages[0].ApplicationProperties["n"], 1);
            receiver.Accept(messages[0]);
            receiver.Release(messages[1]);
            receiver.Reject(messages[2], new Error("com.microsoft:dead-letter") { Info = new() { [new Amqp.Types.Symbol("DeadLetterReason")] = "Broken" } });
            await receiver.CloseAsync();
            await connection.CloseAsync();
            Equal((await One(t.DeadLetters())).DeadLetterReason, "Broken");
            var left = await t.Receiver().PeekMessageAsync();
            True(left.GetRawAmqpMessage().Body.TryGetValue(out var value), "its body is a value");
            Equal(value, "b");
        }),
        new("amqpnetlite-with-a-wrong-key", null, async t =>
        {
            var endpoint = ServiceBusConnectionStringProperties.Parse(t.ConnectionString).Endpoint;
            LiteAddress address = new(endpoint.Host, endpoint.Port, "RootManageSharedAccessKey", "wrong", "/", "amqp");
            await Fails<Exception>(() => LiteConnection.Factory.CreateAsync(address));
        }),
        new("microsoft-azure-amqp-with-the-key", null, async t =>
        {
            var settings = ServiceBusConnectionStringProperties.Parse(t.ConnectionString);
            Uri address = new($"amqp://{settings.Endpoint.Host}:{settings.Endpoint.Port}");
            AmqpConnectionFactory factory = new();
            SaslPlainHandler sasl = new() { AuthenticationIdentity = settings.SharedAccessKeyName, Password = settings.SharedAccessKey };
            var connection = await factory.OpenConnectionAsync(address, sasl, Patience);
            var session = connection.CreateSession(new AmqpSessionSettings());
            await session.OpenAsync(Patience);
            SendingAmqpLink sender = new(session, Link("sender", isReceiver: false, t.Entity));
            await sender.OpenAsync(Patience);
            using var message = AmqpMessage.Create(new Framing.Data { Value = new ArraySegment<byte>(Encoding.UTF8.GetBytes("x")) });
            var outcome = await sender.SendMessageAsync(message, new ArraySegment<byte>([1]), default, Patience);
            Equal(outcome.DescriptorCode, Framing.Accepted.Code);
            ReceivingAmqpLink receiver = new(session, Link("receiver", isReceiver: true, t.Entity));
            await receiver.OpenAsync(Patience);
            var received = await receiver.ReceiveMessageAsync(Patience);
            receiver.AcceptMessage(received, batchable: false);
            await Eventually(async () => (await t.Receiver().PeekMessagesAsync(1)).Count == 0, "the message is completed");
            await connection.CloseAsync(Patience);
        }),
    ];

    static AmqpLinkSettings Link(string name, bool isReceiver, string entity) => new()
    {
        LinkName = name,
        Role = isReceiver,
        TotalLinkCredit = 10,
        AutoSendFlow = isReceiver,
        Source = new Framing.Source { Address = isReceiver ? entity : name },
        Target = new Framing.Target { Address = isReceiver ? name : entity },
    };
}
