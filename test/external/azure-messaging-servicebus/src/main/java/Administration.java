import com.azure.core.exception.HttpResponseException;
import com.azure.messaging.servicebus.administration.ServiceBusAdministrationClient;
import com.azure.messaging.servicebus.administration.ServiceBusAdministrationClientBuilder;
import com.azure.messaging.servicebus.administration.models.*;
import java.time.Duration;
import java.util.*;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** The administration client, which reaches port 443 of the host alone, whatever port the connection string has. */
final class Administration {
    private Administration() {}

    private static final Map<String, Consumer<ServiceBusAdministrationClient>> SCENARIOS = new LinkedHashMap<>();

    private static void refused(int status, Runnable call) {
        try {
            call.run();
        } catch (HttpResponseException error) {
            Peer.equal(error.getResponse().getStatusCode(), status);
            return;
        }
        throw new AssertionError("expected a refusal, and it succeeded");
    }

    static {
        SCENARIOS.put("queues", admin -> {
            var options = new CreateQueueOptions().setMaxDeliveryCount(3).setLockDuration(Duration.ofSeconds(45)).setSessionRequired(true);
            Peer.equal(admin.createQueue("made", options).getMaxDeliveryCount(), 3);
            var found = admin.getQueue("made");
            Peer.equal(found.getLockDuration(), Duration.ofSeconds(45));
            Peer.equal(found.isSessionRequired(), true);
            Peer.equal(admin.updateQueue(found.setMaxDeliveryCount(5)).getMaxDeliveryCount(), 5);
            Peer.equal(admin.getQueueExists("made"), true);
            admin.deleteQueue("made");
            Peer.equal(admin.getQueueExists("made"), false);
        });
        SCENARIOS.put("counts-of-a-queue", admin -> {
            admin.createQueue("counted");
            Peer.equal(admin.getQueueRuntimeProperties("counted").getTotalMessageCount(), 0L);
        });
        SCENARIOS.put("lists-of-many-queues", admin -> {
            IntStream.range(0, 105).forEach(number -> admin.createQueue("many-%03d".formatted(number)));
            Peer.equal(admin.listQueues().stream().filter(queue -> queue.getName().startsWith("many-")).count(), 105L);
        });
        SCENARIOS.put("topics-subscriptions-and-rules", admin -> {
            admin.createTopic("prices");
            admin.createSubscription("prices", "large");
            admin.deleteRule("prices", "large", "$Default");
            admin.createRule("prices", "totals", "large", new CreateRuleOptions(new SqlRuleFilter("total > 100"))
                .setAction(new SqlRuleAction("SET size = 'large'")));
            admin.createRule("prices", "orders", "large", new CreateRuleOptions(new CorrelationRuleFilter().setLabel("order")));
            Peer.equal(admin.listRules("prices", "large").stream().map(RuleProperties::getName).toList(), List.of("orders", "totals"));
            var rule = admin.getRule("prices", "large", "totals");
            Peer.equal(((SqlRuleFilter) rule.getFilter()).getSqlExpression(), "total > 100");
            Peer.equal(((SqlRuleAction) rule.getAction()).getSqlExpression(), "SET size = 'large'");
            Peer.equal(admin.listSubscriptions("prices").stream().map(SubscriptionProperties::getSubscriptionName).toList(), List.of("large"));
            admin.deleteTopic("prices");
        });
        SCENARIOS.put("errors", admin -> {
            admin.createQueue("twice");
            refused(409, () -> admin.createQueue("twice"));
            refused(404, () -> admin.getQueue("missing"));
            refused(404, () -> admin.deleteQueue("missing"));
        });
        SCENARIOS.put("the-namespace", admin -> Peer.equal(admin.getNamespaceProperties().getName().isEmpty(), false));
    }

    /** Prints a line for each scenario, as {@link Peer} does; the JVM's trust store holds the server's certificate. */
    static void run(String connectionString) {
        var admin = new ServiceBusAdministrationClientBuilder().connectionString(connectionString).buildClient();
        SCENARIOS.forEach((name, scenario) -> {
            String error = null;
            try {
                scenario.accept(admin);
            } catch (Throwable thrown) {
                error = thrown.toString();
            }
            Peer.print(name, error);
        });
    }
}
