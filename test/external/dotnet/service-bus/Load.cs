using Azure.Messaging.ServiceBus;

static class Load
{
    /// <summary>Sends messages of 1 KiB one by one and as many in batches, receives all of them, and completes each.</summary>
    public static async Task Run(ServiceBusClient client, string queue, int count)
    {
        var sender = client.CreateSender(queue);
        for (var sent = 0; sent < count / 2; sent++) await sender.SendMessageAsync(Message());
        for (var sent = 0; sent < count / 2; sent += 50)
            await sender.SendMessagesAsync(Enumerable.Range(0, 50).Select(_ => Message()));
        var receiver = client.CreateReceiver(queue);
        for (var left = count; left > 0;)
        {
            var messages = await receiver.ReceiveMessagesAsync(Math.Min(left, 50));
            foreach (var message in messages) await receiver.CompleteMessageAsync(message);
            left -= messages.Count;
        }
    }

    static ServiceBusMessage Message() => new(new byte[1024])
    {
        ContentType = "application/octet-stream",
        ApplicationProperties = { ["region"] = "eu", ["total"] = 228.49 },
    };
}
