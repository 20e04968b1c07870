using System.Transactions;
using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using static Test;

/// <summary>What the transports of message frameworks ask for when they start, and with their first messages.</summary>
static class Frameworks
{
    public static readonly Scenario[] Scenarios =
    [
        new("masstransit-at-start", null, async t =>
        {
            var (queue, topic, subscription) = ($"{t.Entity}-orders", $"{t.Entity}/order-submitted", "orders");
            var forward = $"sb://localhost/{queue}";
            foreach (var _ in Enumerable.Range(0, 2))
            {
                await Once(() => t.Admin.GetQueueAsync(queue), () => t.Admin.CreateQueueAsync(new CreateQueueOptions(queue)
                {
                    LockDuration = TimeSpan.FromMinutes(5), MaxDeliveryCount = 5, EnableBatchedOperations = true,
                    DefaultMessageTimeToLive = TimeSpan.FromDays(366), AutoDeleteOnIdle = TimeSpan.FromDays(427), DeadLetteringOnMessageExpiration = true,
                }));
                await Once(() => t.Admin.GetTopicAsync(topic), () => t.Admin.CreateTopicAsync(new CreateTopicOptions(topic)
                {
                    EnableBatchedOperations = true, DefaultMessageTimeToLive = TimeSpan.FromDays(366), AutoDeleteOnIdle = TimeSpan.FromDays(427),
                }));
                await Once(() => t.Admin.GetSubscriptionAsync(topic, subscription), () => t.Admin.CreateSubscriptionAsync(new CreateSubscriptionOptions(topic, subscription)
                {
                    ForwardTo = forward, EnableBatchedOperations = false, LockDuration = TimeSpan.FromMinutes(1),
                }));
                SubscriptionProperties found = await t.Admin.GetSubscriptionAsync(topic, subscription);
                True(found.ForwardTo.EndsWith(queue, StringComparison.Ordinal), "it forwards to the queue");
                found.LockDuration = TimeSpan.FromMinutes(5);
                found.MaxDeliveryCount = 5;
                found.EnableBatchedOperations = true;
                found.DeadLetteringOnMessageExpiration = true;
                SubscriptionProperties updated = await t.Admin.UpdateSubscriptionAsync(found);
                Equal((updated.LockDuration, updated.MaxDeliveryCount, updated.EnableBatchedOperations), (TimeSpan.FromMinutes(5), 5, true));
                True(updated.ForwardTo.EndsWith(queue, StringComparison.Ordinal), "it still forwards to the queue");
                await foreach (var rule in t.Admin.GetRulesAsync(topic, subscription))
                {
                    rule.Filter = new SqlRuleFilter("urgent = 1");
                    await t.Admin.UpdateRuleAsync(topic, subscription, rule);
                }
            }
            QueueProperties kept = await t.Admin.GetQueueAsync(queue);
            Equal((kept.DefaultMessageTimeToLive, kept.AutoDeleteOnIdle), (TimeSpan.FromDays(366), TimeSpan.FromDays(427)));
            var sender = t.Client.CreateSender(topic);
            await sender.SendMessageAsync(new("no") { ApplicationProperties = { ["urgent"] = 0 } });
            await sender.SendMessageAsync(new("yes") { ApplicationProperties = { ["urgent"] = 1 }, ContentType = "application/vnd.masstransit+json" });
            Equal((await One(t.Receiver(queue))).Body.ToString(), "yes");
        }),
        new("masstransit-creating-at-once", null, async t =>
        {
            var queue = $"{t.Entity}-orders";
            var outcomes = await Task.WhenAll(Enumerable.Range(0, 8).Select(async _ =>
            {
                try
                {
                    await t.Admin.CreateQueueAsync(queue);
                    return "created";
                }
                catch (ServiceBusException error) when (error.Reason == ServiceBusFailureReason.MessagingEntityAlreadyExists)
                {
                    return ((QueueProperties)await t.Admin.GetQueueAsync(queue)).Name;
                }
            }));
            Equal(outcomes.Order(), Enumerable.Repeat(queue, 7).Append("created").Order());
        }),
        new("nservicebus-at-start", null, async t =>
        {
            var (queue, error, topic) = ($"{t.Entity}-sales", $"{t.Entity}-error", $"{t.Entity}.OrderPlaced");
            True(!await t.Admin.QueueExistsAsync("$nservicebus-verification-queue"), "the queue of its check of rights does not exist");
            foreach (var name in new[] { error, queue })
                await t.Admin.CreateQueueAsync(new CreateQueueOptions(name)
                {
                    EnableBatchedOperations = true, LockDuration = TimeSpan.FromMinutes(5), MaxDeliveryCount = int.MaxValue, MaxSizeInMegabytes = 5120,
                });
            await t.Admin.CreateTopicAsync(new CreateTopicOptions(topic) { EnableBatchedOperations = true, MaxSizeInMegabytes = 5120 });
            await t.Admin.CreateSubscriptionAsync(new CreateSubscriptionOptions(topic, "sales")
            {
                LockDuration = TimeSpan.FromMinutes(5), ForwardTo = queue, EnableDeadLetteringOnFilterEvaluationExceptions = false,
                MaxDeliveryCount = int.MaxValue, EnableBatchedOperations = true, UserMetadata = "Sales.OrderPlaced",
            }, new CreateRuleOptions("$default", new FalseRuleFilter()));
            await using (var rules = t.Client.CreateRuleManager(topic, "sales"))
                await rules.CreateRuleAsync(new CreateRuleOptions("OrderPlaced", new SqlRuleFilter("[NServiceBus.EnclosedMessageTypes] LIKE '%OrderPlaced%'")));

            await using var client = new ServiceBusClient(t.ConnectionString, OptionsOf(crossEntity: true));
            await client.CreateSender(topic).SendMessageAsync(new("placed") { ApplicationProperties = { ["NServiceBus.EnclosedMessageTypes"] = "Sales.OrderPlaced, Sales" } });
            await using var atomic = new ServiceBusClient(t.ConnectionString, OptionsOf(crossEntity: true));
            var receiver = atomic.CreateReceiver(queue);
            var sender = atomic.CreateSender(error);
            var message = await One(receiver);
            using (var scope = new TransactionScope(TransactionScopeAsyncFlowOption.Enabled))
            {
                await sender.SendMessageAsync(new(message));
                await receiver.CompleteMessageAsync(message);
                scope.Complete();
            }
            Equal((await One(t.Receiver(error))).Body.ToString(), "placed");
            await t.IsEmpty(t.Receiver(queue));
        }),
        new("rebus-at-start", new() { ["maxDeliveryCount"] = 100 }, async t =>
        {
            var (queue, topic) = ($"{t.Entity}-input", $"{t.Entity}-topic");
            if (!await t.Admin.QueueExistsAsync(queue)) await t.Admin.CreateQueueAsync(new CreateQueueOptions(queue) { MaxDeliveryCount = 100 });
            QueueProperties properties = await t.Admin.GetQueueAsync(queue);
            properties.DefaultMessageTimeToLive = TimeSpan.FromDays(7);
            await t.Admin.UpdateQueueAsync(properties);
            if (!await t.Admin.TopicExistsAsync(topic)) await t.Admin.CreateTopicAsync(topic);
            if (!await t.Admin.SubscriptionExistsAsync(topic, "input")) await t.Admin.CreateSubscriptionAsync(topic, "input");
            SubscriptionProperties subscription = await t.Admin.GetSubscriptionAsync(topic, "input");
            subscription.ForwardTo = $"sb://localhost/{queue}";
            await t.Admin.UpdateSubscriptionAsync(subscription);

            var headers = Enumerable.Range(0, 12).ToDictionary(number => $"rbs2-{number}", number => (object)$"value {number}");
            var given = new ServiceBusMessage("x");
            foreach (var (key, value) in headers) given.ApplicationProperties[key] = value;
            await t.Client.CreateSender(topic).SendMessageAsync(given);
            var receiver = t.Receiver(queue);
            var message = await One(receiver);
            await receiver.AbandonMessageAsync(message, message.ApplicationProperties.ToDictionary(pair => pair.Key, pair => pair.Value));
            var again = await One(receiver);
            Equal(again.DeliveryCount, 2);
            Equal(again.ApplicationProperties.ToDictionary(pair => pair.Key, pair => pair.Value), headers);
        }),
        new("wolverine-at-start", null, async t =>
        {
            var (queue, topic) = ($"{t.Entity}-incoming", $"{t.Entity}-topic");
            var response = $"wolverine.response.{Guid.NewGuid()}";
            foreach (var name in new[] { queue, "wolverine-dead-letter-queue" })
                if (!await t.Admin.QueueExistsAsync(name)) await t.Admin.CreateQueueAsync(name);
            await t.Admin.CreateQueueAsync(new CreateQueueOptions(response)
            {
                AutoDeleteOnIdle = TimeSpan.FromMinutes(5), DefaultMessageTimeToLive = TimeSpan.FromMinutes(5), MaxDeliveryCount = 5,
            });
            if (!await t.Admin.TopicExistsAsync(topic)) await t.Admin.CreateTopicAsync(topic);
            await t.Admin.CreateSubscriptionAsync(new CreateSubscriptionOptions(topic, "one"), new CreateRuleOptions("mine", new SqlRuleFilter("tenant = 'a'")));
            await foreach (var rule in t.Admin.GetRulesAsync(topic, "one"))
            {
                Equal(rule.Name, "mine");
                rule.Filter = new SqlRuleFilter("tenant = 'b'");
                Equal(((RuleProperties)await t.Admin.UpdateRuleAsync(topic, "one", rule)).Filter, rule.Filter);
            }
            await t.Client.CreateSender(topic).SendMessagesAsync([
                new("a") { ApplicationProperties = { ["tenant"] = "a" } }, new("b") { ApplicationProperties = { ["tenant"] = "b" }, ReplyTo = response }]);
            var asked = await One(t.Client.CreateReceiver(topic, "one"));
            Equal(asked.Body.ToString(), "b");
            await t.Client.CreateSender(asked.ReplyTo).SendMessageAsync(new("answer") { CorrelationId = asked.MessageId });
            Equal((await One(t.Receiver(response))).CorrelationId, asked.MessageId);
            await t.Admin.DeleteRuleAsync(topic, "one", "mine");
            await t.Admin.DeleteQueueAsync(response);
        }),
        new("cap-at-start", null, async t =>
        {
            var topic = $"{t.Entity}-cap";
            if (!await t.Admin.TopicExistsAsync(topic)) await t.Admin.CreateTopicAsync(topic);
            if (!await t.Admin.SubscriptionExistsAsync(topic, "group.v1"))
                await t.Admin.CreateSubscriptionAsync(new CreateSubscriptionOptions(topic, "group.v1") { MaxDeliveryCount = 10 });
            var known = new List<string>();
            await foreach (var rule in t.Admin.GetRulesAsync(topic, "group.v1")) known.Add(rule.Name);
            foreach (var name in new[] { "order.created", "order.paid" })
                await t.Admin.CreateRuleAsync(topic, "group.v1", new CreateRuleOptions(name, new CorrelationRuleFilter { Subject = name }));
            foreach (var name in known) await t.Admin.DeleteRuleAsync(topic, "group.v1", name);
            Equal(known, new[] { RuleProperties.DefaultRuleName });

            var came = new TaskCompletionSource<string>();
            await using var processor = t.Client.CreateProcessor(topic, "group.v1", new ServiceBusProcessorOptions { AutoCompleteMessages = false });
            processor.ProcessMessageAsync += async given =>
            {
                await given.CompleteMessageAsync(given.Message);
                came.TrySetResult(given.Message.Subject);
            };
            processor.ProcessErrorAsync += given => Task.CompletedTask;
            await processor.StartProcessingAsync();
            var sender = t.Client.CreateSender(topic);
            await sender.SendMessageAsync(new("other") { Subject = "order.lost" });
            await sender.SendMessageAsync(new("paid") { Subject = "order.paid" });
            Equal(await came.Task.WaitAsync(Patience), "order.paid");
            await processor.StopProcessingAsync();
            await t.IsEmpty(t.Client.CreateReceiver(topic, "group.v1"));
        }),
    ];

    /// <summary>Looks for an entity, and creates it when it is not there.</summary>
    static async Task Once(Func<Task> look, Func<Task> create)
    {
        try
        {
            await look();
        }
        catch (ServiceBusException error) when (error.Reason == ServiceBusFailureReason.MessagingEntityNotFound)
        {
            await create();
        }
    }
}
