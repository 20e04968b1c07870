// The official .NET client (Azure.Messaging.ServiceBus) against a server of ours, scenario by scenario.
//
// "--list" prints each scenario with the settings of its queue, or the subscriptions of its topic, as JSON. "--write",
// "--read", "--load" and "--restart" with the connection string, the certificate and an entity run the commands of
// these names.
// TRANSPORT=websockets makes the client use these, in fewer scenarios.
// Otherwise the connection string is given, and one line of JSON is printed for each scenario: its name, and the error
// if it failed.
using System.Text.Json;
using Azure.Messaging.ServiceBus;

Scenario[] basics = [.. Messages.Scenarios, .. Settling.Scenarios, .. Sessions.Scenarios, .. Transactions.Scenarios, .. Topics.Scenarios];
Scenario[] others =
[
    .. Sending.Scenarios, .. Values.Scenarios, .. SharedSessions.Scenarios, .. Processors.Scenarios,
    .. Administration.Scenarios, .. Frameworks.Scenarios, .. OtherLibraries.Scenarios,
];
Scenario[] scenarios = Test.IsOverWebSockets ? basics : [.. basics, .. others];

if (args[0] == "--list")
{
    Console.WriteLine(JsonSerializer.Serialize(scenarios.ToDictionary(one => one.Name, one => one.Settings)));
    return;
}
if (args[0].StartsWith("--", StringComparison.Ordinal))
{
    await using var client = new ServiceBusClient(args[1]);
    await (args[0] switch
    {
        "--write" => Crosswise.Write(client, args[3], args[4]),
        "--read" => Crosswise.Read(client, args[3], args[4], int.Parse(args[5])),
        "--load" => Load.Run(client, args[3], int.Parse(args[4])),
        "--restart" => Restart.Run(client),
        _ => throw new ArgumentException($"There is no command {args[0]}."),
    });
    return;
}

var printing = new Lock();
var together = new ParallelOptions { MaxDegreeOfParallelism = 8 };
await Parallel.ForEachAsync(scenarios, together, async (one, _) =>
{
    var result = new Dictionary<string, string> { ["name"] = one.Name };
    try
    {
        await using var test = new Test(args[0], one.Name);
        await one.Run(test).WaitAsync(TimeSpan.FromSeconds(90));
    }
    catch (Exception error)
    {
        result["error"] = error.ToString();
    }
    lock (printing) Console.WriteLine(JsonSerializer.Serialize(result));
});
