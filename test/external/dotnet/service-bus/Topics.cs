using Azure.Messaging.ServiceBus;
using Azure.Messaging.ServiceBus.Administration;
using static Test;

/// <summary>Topics, subscriptions and their rules over AMQP.</summary>
static class Topics
{
    static Dictionary<string, object> With(params string[] subscriptions) => new() { ["topic"] = subscriptions };

    public static readonly Scenario[] Scenarios =
    [
        new("a-topic-with-two-subscriptions", With("one", "two"), async t =>
        {
            await t.Send("x");
            foreach (var name in new[] { "one", "two" })
            {
                var receiver = t.Client.CreateReceiver(t.Entity, name);
                var message = await One(receiver);
                Equal(message.Body.ToString(), "x");
                await receiver.CompleteMessageAsync(message);
            }
        }),
        new("dead-letters-of-a-subscription", With("one"), async t =>
        {
            await t.Send("x");
            var receiver = t.Client.CreateReceiver(t.Entity, "one");
            await receiver.DeadLetterMessageAsync(await One(receiver), "Broken");
            var letters = t.Client.CreateReceiver(t.Entity, "one", new ServiceBusReceiverOptions { SubQueue = SubQueue.DeadLetter });
            Equal((await One(letters)).DeadLetterReason, "Broken");
        }),
        new("the-rule-manager", With("one"), async t =>
        {
            await using var rules = t.Client.CreateRuleManager(t.Entity, "one");
            await rules.DeleteRuleAsync("$Default");
            await rules.CreateRuleAsync(new CreateRuleOptions("large", new SqlRuleFilter("total > 100")) { Action = new SqlRuleAction("SET size = 'large'") });
            await rules.CreateRuleAsync("eu", new CorrelationRuleFilter { Subject = "eu", ApplicationProperties = { ["n"] = 1 } });
            await rules.CreateRuleAsync("never", new FalseRuleFilter());
            await FailsFor(ServiceBusFailureReason.MessagingEntityAlreadyExists, () => rules.CreateRuleAsync("eu", new TrueRuleFilter()));

            var found = new List<RuleProperties>();
            await foreach (var rule in rules.GetRulesAsync()) found.Add(rule);
            Equal(found.Select(rule => rule.Name).Order(), new[] { "eu", "large", "never" });
            var large = found.Single(rule => rule.Name == "large");
            Equal(large.Filter, new SqlRuleFilter("total > 100"));
            Equal(large.Action, new SqlRuleAction("SET size = 'large'"));

            await t.Send(
                new ServiceBusMessage("small") { ApplicationProperties = { ["total"] = 5 } },
                new("large") { ApplicationProperties = { ["total"] = 500 } },
                new("eu") { Subject = "eu", ApplicationProperties = { ["n"] = 1 } });
            var received = await Many(t.Client.CreateReceiver(t.Entity, "one"), 2);
            Equal(Bodies(received), new[] { "large", "eu" });
            Equal(received[0].ApplicationProperties["size"], "large");

            foreach (var rule in found) await rules.DeleteRuleAsync(rule.Name);
            await FailsFor(ServiceBusFailureReason.MessagingEntityNotFound, () => rules.DeleteRuleAsync("eu"));
        }),
        new("the-default-rule", With("one"), async t =>
        {
            await using var rules = t.Client.CreateRuleManager(t.Entity, "one");
            var found = new List<RuleProperties>();
            await foreach (var rule in rules.GetRulesAsync()) found.Add(rule);
            Equal(found.Single().Name, RuleProperties.DefaultRuleName);
            True(found.Single().Filter is TrueRuleFilter, "its filter is true");
        }),
        new("a-hundred-and-fifty-rules", With("one"), async t =>
        {
            await using var rules = t.Client.CreateRuleManager(t.Entity, "one");
            foreach (var number in Enumerable.Range(0, 150)) await rules.CreateRuleAsync($"rule-{number:000}", new SqlRuleFilter($"n = {number}"));
            var names = new List<string>();
            await foreach (var rule in rules.GetRulesAsync()) names.Add(rule.Name);
            Equal(names.Count, 151);
        }),
        new("a-filter-that-is-no-sql", With("one"), async t =>
        {
            await using var rules = t.Client.CreateRuleManager(t.Entity, "one");
            await Fails<Exception>(() => rules.CreateRuleAsync("broken", new SqlRuleFilter("total >")));
        }),
        new("sessions-of-a-subscription", null, async t =>
        {
            var topic = $"{t.Entity}-topic";
            await t.Admin.CreateTopicAsync(topic);
            await t.Admin.CreateSubscriptionAsync(new CreateSubscriptionOptions(topic, "s") { RequiresSession = true });
            await t.Client.CreateSender(topic).SendMessageAsync(Sessions.In("a", "x"));
            var sessions = new List<string>();
            await foreach (var id in t.Client.GetMessageSessionsAsync(topic, "s")) sessions.Add(id);
            Equal(sessions, new[] { "a" });
            var session = await t.Client.AcceptNextSessionAsync(topic, "s");
            await session.CompleteMessageAsync(await One(session));
        }),
        new("messages-that-are-forwarded", null, async t =>
        {
            var topic = $"{t.Entity}-topic";
            await t.Admin.CreateTopicAsync(topic);
            await t.Admin.CreateSubscriptionAsync(new CreateSubscriptionOptions(topic, "s") { ForwardTo = t.Entity });
            await t.Client.CreateSender(topic).SendMessageAsync(new("x"));
            Equal((await One(t.Receiver())).Body.ToString(), "x");
        }),
    ];
}
