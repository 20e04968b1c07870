using Azure.Messaging.ServiceBus;

static class Restart
{
    /// <summary>Prints "ready" when its links are open, and waits for a line: by then the server has started again.</summary>
    public static async Task Run(ServiceBusClient client)
    {
        var sender = client.CreateSender("q");
        var receiver = client.CreateReceiver("q");
        var bodies = new List<string>();
        async Task Exchange(string body)
        {
            await sender.SendMessageAsync(new(body));
            ServiceBusReceivedMessage? message = null;
            while (message is null) message = await receiver.ReceiveMessageAsync();
            bodies.Add(message.Body.ToString());
            await receiver.CompleteMessageAsync(message);
        }
        await Exchange("before");
        var session = await client.AcceptSessionAsync("s", "a");
        await session.SetSessionStateAsync(BinaryData.FromString("state of the session"));
        await session.CloseAsync();
        Console.WriteLine("ready");
        Console.ReadLine();
        await Exchange("after");
        await Exchange("later");
        Console.WriteLine(string.Join(' ', bodies));
        session = await client.AcceptSessionAsync("s", "a");
        Console.WriteLine((await session.GetSessionStateAsync()).ToString());
    }
}
