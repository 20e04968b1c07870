using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using static Test;

/// <summary>Administration over HTTP.</summary>
static class Administration
{
    public static readonly Scenario[] Scenarios =
    [
        new("administration-of-queues", null, async t =>
        {
            var name = $"{t.Entity}-made";
            CreateQueueOptions options = new(name)
            {
                MaxDeliveryCount = 3, LockDuration = TimeSpan.FromSeconds(45), DefaultMessageTimeToLive = TimeSpan.FromDays(3),
                RequiresSession = true, DeadLetteringOnMessageExpiration = true, RequiresDuplicateDetection = true,
                DuplicateDetectionHistoryTimeWindow = TimeSpan.FromMinutes(2), MaxSizeInMegabytes = 2048, EnableBatchedOperations = false,
                UserMetadata = "añil <&> \"x\"", AutoDeleteOnIdle = TimeSpan.FromHours(3),
            };
            QueueProperties created = await t.Admin.CreateQueueAsync(options);
            SameSettings(new CreateQueueOptions(created), options);
            Equal(created.DuplicateDetectionHistoryTimeWindow, TimeSpan.FromMinutes(2));
            QueueProperties found = await t.Admin.GetQueueAsync(name);
            SameSettings(found, created);
            Equal(found.Status, EntityStatus.Active);
            found.MaxDeliveryCount = 5;
            found.UserMetadata = "";
            QueueProperties updated = await t.Admin.UpdateQueueAsync(found);
            Equal((updated.MaxDeliveryCount, updated.UserMetadata ?? "", updated.EnableBatchedOperations), (5, "", false));
            True(await t.Admin.QueueExistsAsync(name), "it exists");
            await FailsFor(ServiceBusFailureReason.MessagingEntityAlreadyExists, () => t.Admin.CreateQueueAsync(name));
            await t.Admin.DeleteQueueAsync(name);
            True(!await t.Admin.QueueExistsAsync(name), "it does not exist");
            await FailsFor(ServiceBusFailureReason.MessagingEntityNotFound, () => t.Admin.GetQueueAsync(name));
            await FailsFor(ServiceBusFailureReason.MessagingEntityNotFound, () => t.Admin.DeleteQueueAsync(name));
        }),
        new("defaults-of-a-queue", null, async t =>
        {
            CreateQueueOptions options = new($"{t.Entity}-made");
            QueueProperties created = await t.Admin.CreateQueueAsync(options);
            SameSettings(new CreateQueueOptions(created), options);
        }),
        new("status-of-a-queue", null, async t =>
        {
            QueueProperties found = await t.Admin.GetQueueAsync(t.Entity);
            found.Status = EntityStatus.SendDisabled;
            await t.Admin.UpdateQueueAsync(found);
            await FailsFor(ServiceBusFailureReason.MessagingEntityDisabled, () => t.Send("x"));
            found.Status = EntityStatus.Active;
            await t.Admin.UpdateQueueAsync(found);
            await t.Send("x");
        }),
        new("a-queue-that-forwards", null, async t =>
        {
            var (from, dead) = ($"{t.Entity}-from", $"{t.Entity}-dead");
            await t.Admin.CreateQueueAsync(dead);
            QueueProperties made = await t.Admin.CreateQueueAsync(new CreateQueueOptions(from) { ForwardTo = t.Entity, ForwardDeadLetteredMessagesTo = dead });
            True(made.ForwardTo.EndsWith(t.Entity, StringComparison.Ordinal), "it tells where it forwards to");
            await t.Client.CreateSender(from).SendMessageAsync(new("x"));
            Equal((await One(t.Deleting())).Body.ToString(), "x");
            made.ForwardTo = null;
            made.ForwardDeadLetteredMessagesTo = null;
            QueueProperties updated = await t.Admin.UpdateQueueAsync(made);
            Equal(updated.ForwardTo, null);
            await FailsFor(ServiceBusFailureReason.MessagingEntityNotFound,
                () => t.Admin.CreateQueueAsync(new CreateQueueOptions($"{t.Entity}-other") { ForwardTo = "missing-queue" }));
        }),
        new("counts-of-a-queue", null, async t =>
        {
            await t.Send("a", "b", "c");
            var sender = t.Client.CreateSender(t.Entity);
            await sender.ScheduleMessageAsync(new("later"), DateTimeOffset.UtcNow.AddHours(1));
            var receiver = t.Receiver();
            await receiver.DeadLetterMessageAsync(await One(receiver));
            QueueRuntimeProperties counts = await t.Admin.GetQueueRuntimePropertiesAsync(t.Entity);
            Equal((counts.ActiveMessageCount, counts.ScheduledMessageCount, counts.DeadLetterMessageCount, counts.TotalMessageCount), (2L, 1L, 1L, 4L));
            True(counts.SizeInBytes > 0, "it has a size");
            True(counts.CreatedAt > DateTimeOffset.UtcNow.AddHours(-1), "it was created just now");
            True(counts.AccessedAt >= counts.CreatedAt, "it was used since");
        }),
        new("administration-of-topics", null, async t =>
        {
            var name = $"{t.Entity}-made";
            CreateTopicOptions options = new(name)
            {
                DefaultMessageTimeToLive = TimeSpan.FromDays(2), SupportOrdering = true, RequiresDuplicateDetection = true, UserMetadata = "m",
            };
            TopicProperties created = await t.Admin.CreateTopicAsync(options);
            SameSettings(new CreateTopicOptions(created), options);
            created.DefaultMessageTimeToLive = TimeSpan.FromDays(1);
            Equal(((TopicProperties)await t.Admin.UpdateTopicAsync(created)).DefaultMessageTimeToLive, TimeSpan.FromDays(1));
            True(await t.Admin.TopicExistsAsync(name), "it exists");
            await t.Admin.CreateSubscriptionAsync(name, "s");
            TopicRuntimeProperties counts = await t.Admin.GetTopicRuntimePropertiesAsync(name);
            Equal((counts.SubscriptionCount, counts.ScheduledMessageCount), (1, 0L));
            await t.Admin.DeleteTopicAsync(name);
            True(!await t.Admin.TopicExistsAsync(name), "it does not exist");
        }),
        new("filters-counted-of-a-topic", new() { ["topic"] = new[] { "one", "two" } }, async t =>
        {
            await t.Admin.CreateRuleAsync(t.Entity, "one", new CreateRuleOptions("sql", new SqlRuleFilter("n = 1")));
            await t.Admin.CreateRuleAsync(t.Entity, "two", new CreateRuleOptions("eu", new CorrelationRuleFilter { Subject = "eu" }));
            await t.Admin.CreateRuleAsync(t.Entity, "two", new CreateRuleOptions("us", new CorrelationRuleFilter { Subject = "us" }));
            TopicRuntimeProperties counts = await t.Admin.GetTopicRuntimePropertiesAsync(t.Entity);
            Equal((counts.SqlFilterCount, counts.CorrelationFilterCount), (3, 2));
        }),
        new("administration-of-subscriptions", new() { ["topic"] = new[] { "one" } }, async t =>
        {
            CreateSubscriptionOptions options = new(t.Entity, "made")
            {
                RequiresSession = true, MaxDeliveryCount = 7, LockDuration = TimeSpan.FromSeconds(50), AutoDeleteOnIdle = TimeSpan.FromHours(1),
                DeadLetteringOnMessageExpiration = true, EnableDeadLetteringOnFilterEvaluationExceptions = false, UserMetadata = "m",
            };
            SubscriptionProperties created = await t.Admin.CreateSubscriptionAsync(options, new CreateRuleOptions("large", new SqlRuleFilter("total > 100")));
            SameSettings(new CreateSubscriptionOptions(created), options);
            Equal(((RuleProperties)await t.Admin.GetRuleAsync(t.Entity, "made", "large")).Filter, new SqlRuleFilter("total > 100"));
            created.MaxDeliveryCount = 8;
            Equal(((SubscriptionProperties)await t.Admin.UpdateSubscriptionAsync(created)).MaxDeliveryCount, 8);
            SubscriptionRuntimeProperties counts = await t.Admin.GetSubscriptionRuntimePropertiesAsync(t.Entity, "one");
            Equal((counts.ActiveMessageCount, counts.TotalMessageCount), (0L, 0L));
            await t.Admin.DeleteSubscriptionAsync(t.Entity, "made");
            True(!await t.Admin.SubscriptionExistsAsync(t.Entity, "made"), "it does not exist");
        }),
        new("administration-of-rules", new() { ["topic"] = new[] { "one" } }, async t =>
        {
            CorrelationRuleFilter filter = new()
            {
                CorrelationId = "c", MessageId = "m", To = "t", ReplyTo = "r", Subject = "s", SessionId = "i", ReplyToSessionId = "j", ContentType = "x/y",
                ApplicationProperties = { ["text"] = "é", ["number"] = 1, ["long"] = 2L, ["yes"] = true, ["double"] = 0.5 },
            };
            RuleProperties made = await t.Admin.CreateRuleAsync(t.Entity, "one", new CreateRuleOptions("all", filter) { Action = new SqlRuleAction("SET a = 1") });
            Equal(made.Filter, filter);
            Equal(made.Action, new SqlRuleAction("SET a = 1"));
            made.Filter = new SqlRuleFilter("total > @least") { Parameters = { ["@least"] = 100 } };
            made.Action = null;
            RuleProperties updated = await t.Admin.UpdateRuleAsync(t.Entity, "one", made);
            Equal(((SqlRuleFilter)updated.Filter).Parameters["@least"], 100);
            var names = new List<string>();
            await foreach (var rule in t.Admin.GetRulesAsync(t.Entity, "one")) names.Add(rule.Name);
            Equal(names, new[] { "$Default", "all" });
            True(await t.Admin.RuleExistsAsync(t.Entity, "one", "all"), "it exists");
            await t.Admin.DeleteRuleAsync(t.Entity, "one", "all");
            await FailsFor(ServiceBusFailureReason.MessagingEntityNotFound, () => t.Admin.GetRuleAsync(t.Entity, "one", "all"));
            await Fails<ArgumentException>(() => t.Admin.CreateRuleAsync(t.Entity, "one", new CreateRuleOptions("bad", new SqlRuleFilter("total >"))));
        }),
        new("lists-of-entities", null, async t =>
        {
            foreach (var number in Enumerable.Range(0, 110)) await t.Admin.CreateQueueAsync($"{t.Entity}-{number:000}");
            var names = new List<string>();
            await foreach (var queue in t.Admin.GetQueuesAsync()) names.Add(queue.Name);
            Equal(names.Count(name => name.StartsWith($"{t.Entity}-", StringComparison.Ordinal)), 110);
            var counted = 0;
            await foreach (var queue in t.Admin.GetQueuesRuntimePropertiesAsync()) counted++;
            True(counted >= 110, "all have counts");
            var topics = new List<string>();
            await foreach (var topic in t.Admin.GetTopicsAsync()) topics.Add(topic.Name);
            True(topics.Contains("the-rule-manager"), "topics are listed");
            var subscriptions = new List<string>();
            await foreach (var one in t.Admin.GetSubscriptionsAsync("a-topic-with-two-subscriptions")) subscriptions.Add(one.SubscriptionName);
            Equal(subscriptions, new[] { "one", "two" });
        }),
        new("the-namespace", null, async t =>
        {
            NamespaceProperties found = await t.Admin.GetNamespacePropertiesAsync();
            True(found.Name.Length > 0, "it has a name");
        }),
        new("the-version-before", null, async t =>
        {
            var options = new ServiceBusAdministrationClientOptions(ServiceBusAdministrationClientOptions.ServiceVersion.V2021_05);
            var admin = new ServiceBusAdministrationClient(t.ConnectionString, options);
            var name = $"{t.Entity}-made";
            await admin.CreateQueueAsync(name);
            var names = new List<string>();
            await foreach (var queue in admin.GetQueuesAsync()) names.Add(queue.Name);
            True(names.Contains(name), "it is listed");
            await admin.DeleteQueueAsync(name);
        }),
        new("administration-with-a-wrong-key", null, async t =>
        {
            var wrong = t.ConnectionString.Replace("SharedAccessKey=", "SharedAccessKey=no", StringComparison.Ordinal);
            var error = await Fails<Exception>(() => new ServiceBusAdministrationClient(wrong).GetQueueAsync(t.Entity));
            True(error is UnauthorizedAccessException, $"the key is refused, and not: {error.Message}");
        }),
        new("settings-that-are-refused", null, async t =>
        {
            CreateQueueOptions options = new($"{t.Entity}-made") { LockDuration = TimeSpan.FromMinutes(5) };
            QueueProperties made = await t.Admin.CreateQueueAsync(options);
            made.AutoDeleteOnIdle = TimeSpan.FromMinutes(5);
            Equal(((QueueProperties)await t.Admin.UpdateQueueAsync(made)).AutoDeleteOnIdle, TimeSpan.FromMinutes(5));
            await Fails<ArgumentException>(() => t.Admin.CreateQueueAsync(new CreateQueueOptions("x") { LockDuration = TimeSpan.FromMinutes(6) }));
        }),
    ];

    /// <summary>Settings that the broker fills in.</summary>
    static readonly string[] filledIn = ["AuthorizationRules", "DuplicateDetectionHistoryTimeWindow", "MaxMessageSizeInKilobytes"];

    /// <summary>Compares the properties, since the equality of some of the client's options never ends.</summary>
    static void SameSettings<T>(T actual, T expected)
    {
        foreach (var property in typeof(T).GetProperties())
            if (!filledIn.Contains(property.Name))
                Equal((property.Name, property.GetValue(actual)), (property.Name, property.GetValue(expected)));
    }
}
