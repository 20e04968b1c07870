import com.azure.core.amqp.AmqpRetryOptions;
import com.azure.core.amqp.exception.AmqpException;
import com.azure.core.amqp.models.AmqpMessageBody;
import com.azure.core.amqp.models.AmqpMessageBodyType;
import com.azure.core.util.BinaryData;
import com.azure.messaging.servicebus.*;
import com.azure.messaging.servicebus.administration.models.CreateRuleOptions;
import com.azure.messaging.servicebus.administration.models.SqlRuleFilter;
import com.azure.messaging.servicebus.models.*;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.*;
import java.util.concurrent.*;
import java.util.stream.*;

/**
 * The official Java client (azure-messaging-servicebus) against a server of ours, scenario by scenario.
 *
 * <p>"--list" prints each scenario with the settings of its queue, or the subscriptions of its topic, as JSON. "--write",
 * "--read" and "--load" with the connection string, the certificate and an entity run {@link Crosswise} and {@link Load}.
 * Otherwise the connection string is given, and one line of JSON is printed for each scenario: its name, and the error if it
 * failed.
 */
public final class Peer {
    private interface Body {
        void run(Test t) throws Exception;
    }

    private record Scenario(String settings, Body body) {}

    private static final Map<String, Scenario> SCENARIOS = new LinkedHashMap<>();
    private static final Duration WAIT = Duration.ofSeconds(30);
    private static final String SESSIONS = "{\"requiresSession\":true}";

    private static void scenario(String name, String settings, Body body) {
        SCENARIOS.put(name, new Scenario(settings, body));
    }

    private static void scenario(String name, Body body) {
        scenario(name, "{}", body);
    }

    static void equal(Object actual, Object expected) {
        if (!Objects.deepEquals(actual, expected))
            throw new AssertionError("expected " + expected + ", and it is " + actual);
    }

    private static void fails(ServiceBusFailureReason reason, Runnable call) {
        try {
            call.run();
        } catch (ServiceBusException error) {
            equal(error.getReason(), reason);
            return;
        }
        throw new AssertionError("expected " + reason + ", and it succeeded");
    }

    /** A scenario with its clients, which are closed after it. */
    private static final class Test implements AutoCloseable {
        final String connectionString;
        final String queue;
        final Deque<AutoCloseable> open = new ArrayDeque<>();

        Test(String connectionString, String queue) {
            this.connectionString = connectionString;
            this.queue = queue;
        }

        private <T extends AutoCloseable> T keep(T one) {
            open.push(one);
            return one;
        }

        ServiceBusClientBuilder builder() {
            var retries = new AmqpRetryOptions().setMaxRetries(1).setDelay(Duration.ofMillis(50)).setTryTimeout(Duration.ofSeconds(5));
            return new ServiceBusClientBuilder().connectionString(connectionString).retryOptions(retries);
        }

        ServiceBusSenderClient sender() {
            return keep(builder().sender().queueName(queue).buildClient());
        }

        ServiceBusSenderClient topicSender() {
            return keep(builder().sender().topicName(queue).buildClient());
        }

        ServiceBusReceiverClient receiver() {
            return receiver(ServiceBusReceiveMode.PEEK_LOCK, SubQueue.NONE);
        }

        ServiceBusReceiverClient deadLetters() {
            return receiver(ServiceBusReceiveMode.PEEK_LOCK, SubQueue.DEAD_LETTER_QUEUE);
        }

        ServiceBusReceiverClient deleting() {
            return receiver(ServiceBusReceiveMode.RECEIVE_AND_DELETE, SubQueue.NONE);
        }

        ServiceBusReceiverClient receiver(ServiceBusReceiveMode mode, SubQueue part) {
            return keep(builder().receiver().queueName(queue).receiveMode(mode).subQueue(part)
                .maxAutoLockRenewDuration(Duration.ZERO).buildClient());
        }

        ServiceBusReceiverClient subscription(String name) {
            return keep(builder().receiver().topicName(queue).subscriptionName(name)
                .maxAutoLockRenewDuration(Duration.ZERO).buildClient());
        }

        ServiceBusReceiverClient session(String id) {
            var sessions = keep(builder().sessionReceiver().queueName(queue).maxAutoLockRenewDuration(Duration.ZERO).buildClient());
            return keep(id == null ? sessions.acceptNextSession() : sessions.acceptSession(id));
        }

        void send(ServiceBusMessage... messages) {
            var sender = sender();
            for (var message : messages) sender.sendMessage(message);
        }

        List<ServiceBusReceivedMessage> receive(ServiceBusReceiverClient from, int count) {
            List<ServiceBusReceivedMessage> messages = new ArrayList<>();
            var end = Instant.now().plus(WAIT);
            while (messages.size() < count && Instant.now().isBefore(end))
                from.receiveMessages(count - messages.size(), Duration.ofSeconds(2)).forEach(messages::add);
            equal(messages.size(), count);
            return messages;
        }

        ServiceBusReceivedMessage one(ServiceBusReceiverClient from) {
            return receive(from, 1).get(0);
        }

        ServiceBusReceivedMessage roundTrip(ServiceBusMessage message) {
            send(message);
            var receiver = receiver();
            var received = one(receiver);
            receiver.complete(received);
            return received;
        }

        void isEmpty() {
            equal(receiver().peekMessage(), null);
        }

        @Override
        public void close() throws Exception {
            while (!open.isEmpty()) open.pop().close();
        }
    }

    private static ServiceBusMessage text(String body) {
        return new ServiceBusMessage(body);
    }

    private static ServiceBusMessage inSession(String id, String body) {
        return new ServiceBusMessage(body).setSessionId(id);
    }

    private static String body(ServiceBusReceivedMessage message) {
        return message.getBody().toString();
    }

    private static List<String> bodies(Iterable<ServiceBusReceivedMessage> messages) {
        return StreamSupport.stream(messages.spliterator(), false).map(Peer::body).toList();
    }

    private static void properties(Test t, Map<String, Object> given) {
        var message = text("x");
        message.getApplicationProperties().putAll(given);
        var received = t.roundTrip(message).getApplicationProperties();
        equal(received.keySet(), given.keySet());
        given.forEach((name, value) -> equal(received.get(name), value));
    }

    static {
        scenario("text-body", t -> equal(body(t.roundTrip(text("añil 漢 🚀"))), "añil 漢 🚀"));
        scenario("bytes-body", t -> {
            var bytes = new byte[256];
            for (int index = 0; index < 256; index++) bytes[index] = (byte) index;
            equal(t.roundTrip(new ServiceBusMessage(BinaryData.fromBytes(bytes))).getBody().toBytes(), bytes);
        });
        scenario("empty-body", t -> equal(body(t.roundTrip(text(""))), ""));
        scenario("value-body", t -> {
            var received = t.roundTrip(new ServiceBusMessage(AmqpMessageBody.fromValue("a value")));
            var found = received.getRawAmqpMessage().getBody();
            equal(found.getBodyType(), AmqpMessageBodyType.VALUE);
            equal(found.getValue(), "a value");
        });
        scenario("sequence-body", t -> {
            var received = t.roundTrip(new ServiceBusMessage(AmqpMessageBody.fromSequence(List.of(1, "x", true))));
            var found = received.getRawAmqpMessage().getBody();
            equal(found.getBodyType(), AmqpMessageBodyType.SEQUENCE);
            equal(found.getSequence(), List.of(1, "x", true));
        });
        scenario("message-of-many-frames", t -> {
            var large = "0123456789".repeat(90_000);
            equal(body(t.roundTrip(text(large))), large);
        });
        scenario("broker-properties", t -> {
            var received = t.roundTrip(text("x").setMessageId("m-1").setContentType("application/json").setCorrelationId("c-1")
                .setSubject("label").setTo("somewhere").setReplyTo("answers").setReplyToSessionId("r-1")
                .setTimeToLive(Duration.ofMinutes(5)));
            equal(received.getMessageId(), "m-1");
            equal(received.getContentType(), "application/json");
            equal(received.getCorrelationId(), "c-1");
            equal(received.getSubject(), "label");
            equal(received.getTo(), "somewhere");
            equal(received.getReplyTo(), "answers");
            equal(received.getReplyToSessionId(), "r-1");
            equal(received.getTimeToLive(), Duration.ofMinutes(5));
            equal(received.getExpiresAt(), received.getEnqueuedTime().plusMinutes(5));
        });
        scenario("integers-as-properties", t -> properties(t, Map.of("byte", (byte) -8, "short", (short) -16, "int", -32, "long", 1L << 60)));
        scenario("other-properties", t -> properties(t, Map.of("float", 1.5f, "double", 1.25, "text", "é", "yes", true, "char", 'c')));
        scenario("uuids-as-properties", t -> properties(t, Map.of("uuid", UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"))));
        scenario("dates-as-properties", t -> properties(t, Map.of("when", new Date(1_795_000_000_250L))));
        scenario("offset-times-and-durations", t -> properties(t, Map.of(
            "when", OffsetDateTime.parse("2026-11-22T12:30:15.25Z"), "duration", Duration.ofSeconds(90))));
        scenario("sequence-numbers-and-times", t -> {
            var before = OffsetDateTime.now().minusMinutes(1);
            var received = t.roundTrip(text("x"));
            equal(received.getSequenceNumber() > 0, true);
            equal(received.getEnqueuedTime().isAfter(before), true);
            equal(received.getDeliveryCount(), 0L);
            equal(received.getLockedUntil().isAfter(received.getEnqueuedTime()), true);
        });
        scenario("a-list-of-messages", t -> {
            var numbers = IntStream.range(0, 25).mapToObj(String::valueOf).toList();
            t.sender().sendMessages(numbers.stream().map(Peer::text).toList());
            equal(bodies(t.receive(t.deleting(), 25)), numbers);
        });
        scenario("a-batch", t -> {
            var sender = t.sender();
            var batch = sender.createMessageBatch();
            for (int number = 0; number < 100; number++) equal(batch.tryAddMessage(text("" + number)), true);
            sender.sendMessages(batch);
            equal(t.receive(t.deleting(), 100).size(), 100);
        });
        scenario("a-batch-that-is-full", t -> {
            var batch = t.sender().createMessageBatch(new CreateMessageBatchOptions().setMaximumSizeInBytes(1000));
            while (batch.tryAddMessage(text("x".repeat(200)))) equal(batch.getSizeInBytes() <= 1000, true);
            equal(batch.getCount() > 1, true);
        });
        scenario("a-message-that-is-too-large", t ->
            fails(ServiceBusFailureReason.MESSAGE_SIZE_EXCEEDED, () -> t.send(text("x".repeat(2 << 20)))));
        scenario("scheduled-messages", t -> {
            var number = t.sender().scheduleMessage(text("late"), OffsetDateTime.now().plusNanos(300_000_000));
            equal(number > 0, true);
            equal(body(t.one(t.deleting())), "late");
        });
        scenario("cancelled-messages", t -> {
            var sender = t.sender();
            var number = sender.scheduleMessage(text("never"), OffsetDateTime.now().plusHours(1));
            equal(t.receiver().peekMessage().getState(), ServiceBusMessageState.SCHEDULED);
            sender.cancelScheduledMessage(number);
            t.isEmpty();
        });
        scenario("peeking", t -> {
            t.send(text("a"), text("b"), text("c"));
            var receiver = t.receiver();
            equal(bodies(receiver.peekMessages(2)), List.of("a", "b"));
            equal(body(receiver.peekMessage()), "c");
            equal(bodies(receiver.peekMessages(5, 2)), List.of("b", "c"));
        });
        scenario("completing", t -> {
            t.roundTrip(text("x"));
            t.isEmpty();
        });
        scenario("abandoning-with-properties", t -> {
            t.send(text("x"));
            var receiver = t.receiver();
            receiver.abandon(t.one(receiver), new AbandonOptions().setPropertiesToModify(Map.of("attempt", 1)));
            var again = t.one(receiver);
            equal(again.getDeliveryCount(), 1L);
            equal(again.getApplicationProperties().get("attempt"), 1);
        });
        scenario("too-many-deliveries", "{\"maxDeliveryCount\":2}", t -> {
            t.send(text("x"));
            var receiver = t.receiver();
            for (int attempt = 0; attempt < 2; attempt++) receiver.abandon(t.one(receiver));
            equal(t.one(t.deadLetters()).getDeadLetterReason(), "MaxDeliveryCountExceeded");
        });
        scenario("dead-lettering", t -> {
            t.send(text("x"));
            var receiver = t.receiver();
            receiver.deadLetter(t.one(receiver), new DeadLetterOptions().setDeadLetterReason("Broken")
                .setDeadLetterErrorDescription("no total").setPropertiesToModify(Map.of("seen", true)));
            var letters = t.deadLetters();
            var letter = t.one(letters);
            equal(letter.getDeadLetterReason(), "Broken");
            equal(letter.getDeadLetterErrorDescription(), "no total");
            equal(letter.getApplicationProperties().get("seen"), true);
            letters.complete(letter);
            equal(letters.peekMessage(), null);
        });
        scenario("deferring", t -> {
            t.send(text("x"));
            var receiver = t.receiver();
            var message = t.one(receiver);
            receiver.defer(message);
            var deferred = receiver.receiveDeferredMessage(message.getSequenceNumber());
            equal(body(deferred), "x");
            receiver.complete(deferred);
            t.isEmpty();
        });
        scenario("a-missing-deferred-message", t ->
            fails(ServiceBusFailureReason.GENERAL_ERROR, () -> t.receiver().receiveDeferredMessage(77)));
        scenario("renewing-a-lock", "{\"lockDuration\":\"PT5S\"}", t -> {
            t.send(text("x"));
            var receiver = t.receiver();
            var message = t.one(receiver);
            Thread.sleep(100);
            equal(receiver.renewMessageLock(message).isAfter(message.getEnqueuedTime().plusSeconds(5)), true);
            receiver.complete(message);
        });
        scenario("a-lost-lock", "{\"lockDuration\":\"PT1S\"}", t -> {
            t.send(text("x"));
            var receiver = t.receiver();
            var message = t.one(receiver);
            Thread.sleep(1500);
            fails(ServiceBusFailureReason.MESSAGE_LOCK_LOST, () -> receiver.complete(message));
        });
        scenario("receive-and-delete", t -> {
            t.send(text("a"), text("b"));
            equal(bodies(t.receive(t.deleting(), 2)), List.of("a", "b"));
            t.isEmpty();
        });
        scenario("prefetch", t -> {
            t.sender().sendMessages(IntStream.range(0, 50).mapToObj(number -> text("" + number)).toList());
            var receiver = t.keep(t.builder().receiver().queueName(t.queue).prefetchCount(20)
                .maxAutoLockRenewDuration(Duration.ZERO).buildClient());
            for (var message : t.receive(receiver, 50)) receiver.complete(message);
            t.isEmpty();
        });
        scenario("ten-thousand-messages", t -> {
            var sender = t.sender();
            for (int first = 0; first < 10_000; first += 1000) {
                var batch = sender.createMessageBatch();
                for (int number = first; number < first + 1000; number++) equal(batch.tryAddMessage(text("" + number)), true);
                sender.sendMessages(batch);
            }
            var expected = IntStream.range(0, 10_000).mapToObj(String::valueOf).toList();
            List<String> received = Collections.synchronizedList(new ArrayList<>());
            var left = new CountDownLatch(10_000);
            var processor = t.keep(t.builder().processor().queueName(t.queue).prefetchCount(200)
                .receiveMode(ServiceBusReceiveMode.RECEIVE_AND_DELETE).processError(context -> {})
                .processMessage(context -> {
                    received.add(body(context.getMessage()));
                    left.countDown();
                }).buildProcessorClient());
            processor.start();
            equal(left.await(100, TimeUnit.SECONDS), true);
            equal(received, expected);
        });
        scenario("no-message-in-time", t ->
            equal(t.receiver().receiveMessages(1, Duration.ofMillis(200)).stream().count(), 0L));
        scenario("expired-messages", "{\"deadLetteringOnMessageExpiration\":true}", t -> {
            t.send(text("x").setTimeToLive(Duration.ofMillis(100)));
            equal(t.one(t.deadLetters()).getDeadLetterReason(), "TTLExpiredException");
        });
        scenario("duplicates", "{\"requiresDuplicateDetection\":true}", t -> {
            t.send(text("x").setMessageId("same"), text("x").setMessageId("same"));
            equal(bodies(t.receiver().peekMessages(5)).size(), 1);
        });
        scenario("a-missing-queue", t -> fails(ServiceBusFailureReason.MESSAGING_ENTITY_NOT_FOUND, () ->
            t.keep(t.builder().sender().queueName("missing").buildClient()).sendMessage(text("x"))));
        scenario("transactions", t -> {
            t.send(text("old"));
            var sender = t.sender();
            var transaction = sender.createTransaction();
            sender.sendMessage(text("new"), transaction);
            sender.rollbackTransaction(transaction);
            equal(bodies(t.receiver().peekMessages(5)), List.of("old"));
            var second = sender.createTransaction();
            sender.sendMessage(text("new"), second);
            sender.commitTransaction(second);
            equal(bodies(t.receiver().peekMessages(5)), List.of("old", "new"));
        });
        scenario("a-processor", t -> {
            var handled = new CountDownLatch(20);
            t.sender().sendMessages(IntStream.range(0, 20).mapToObj(number -> text("" + number)).toList());
            var processor = t.keep(t.builder().processor().queueName(t.queue).maxConcurrentCalls(4)
                .processMessage(context -> handled.countDown()).processError(context -> {}).buildProcessorClient());
            processor.start();
            equal(handled.await(10, TimeUnit.SECONDS), true);
        });
        scenario("a-session-in-order", SESSIONS, t -> {
            t.send(inSession("a", "1"), inSession("b", "other"), inSession("a", "2"));
            var session = t.session("a");
            equal(session.getSessionId(), "a");
            for (var expected : List.of("1", "2")) {
                var message = t.one(session);
                equal(body(message), expected);
                session.complete(message);
            }
        });
        scenario("the-next-available-session", SESSIONS, t -> {
            t.send(inSession("next", "x"));
            var session = t.session(null);
            equal(session.getSessionId(), "next");
            session.complete(t.one(session));
        });
        scenario("a-session-that-is-held", SESSIONS, t -> {
            t.session("a");
            try {
                t.session("a");
            } catch (AmqpException error) {
                equal(error.getErrorCondition().getErrorCondition(), "com.microsoft:session-cannot-be-locked");
                return;
            }
            throw new AssertionError("expected a refusal, and it succeeded");
        });
        scenario("session-state", SESSIONS, t -> {
            var session = t.session("a");
            equal(session.getSessionState(), null);
            session.setSessionState(new byte[] {0, 1, -1});
            equal(session.getSessionState(), new byte[] {0, 1, -1});
        });
        scenario("renewing-a-session", "{\"requiresSession\":true,\"lockDuration\":\"PT5S\"}", t -> {
            var session = t.session("a");
            var before = OffsetDateTime.now();
            equal(session.renewSessionLock().isAfter(before.plusSeconds(4)), true);
        });
        scenario("deferring-in-a-session", SESSIONS, t -> {
            t.send(inSession("a", "1"));
            var session = t.session("a");
            var message = t.one(session);
            session.defer(message);
            session.complete(session.receiveDeferredMessage(message.getSequenceNumber()));
        });
        scenario("peeking-in-a-session", SESSIONS, t -> {
            t.send(inSession("a", "1"), inSession("b", "2"));
            equal(bodies(t.session("b").peekMessages(5)), List.of("2"));
        });
        scenario("dead-lettering-in-a-session", SESSIONS, t -> {
            t.send(inSession("a", "1"));
            var session = t.session("a");
            session.deadLetter(t.one(session));
            equal(t.one(t.deadLetters()).getSessionId(), "a");
        });
        scenario("a-topic-with-two-subscriptions", "{\"topic\":[\"one\",\"two\"]}", t -> {
            t.topicSender().sendMessage(text("x"));
            for (var name : List.of("one", "two")) {
                var receiver = t.subscription(name);
                receiver.complete(t.one(receiver));
            }
        });
        scenario("rules-of-a-subscription", "{\"topic\":[\"one\"]}", t -> {
            var rules = t.keep(t.builder().ruleManager().topicName(t.queue).subscriptionName("one").buildClient());
            rules.deleteRule("$Default");
            rules.createRule("large", new CreateRuleOptions(new SqlRuleFilter("total > 100")));
            equal(rules.listRules().stream().map(rule -> rule.getName()).toList(), List.of("large"));
            var sender = t.topicSender();
            for (var total : List.of(50, 500)) {
                var message = text("" + total);
                message.getApplicationProperties().put("total", total);
                sender.sendMessage(message);
            }
            equal(body(t.one(t.subscription("one"))), "500");
        });
    }

    private static String quoted(String text) {
        var escaped = new StringBuilder("\"");
        for (var letter : text.toCharArray())
            escaped.append(letter == '"' || letter == '\\' ? "\\" + letter : letter < 32 ? " " : String.valueOf(letter));
        return escaped.append('"').toString();
    }

    /** Prints the line of a scenario that has ended. */
    static void print(String name, String error) {
        synchronized (System.out) {
            System.out.println("{\"name\":" + quoted(name) + (error == null ? "" : ",\"error\":" + quoted(error)) + "}");
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("--list")) {
            System.out.println(SCENARIOS.entrySet().stream()
                .map(entry -> quoted(entry.getKey()) + ":" + entry.getValue().settings())
                .collect(Collectors.joining(",", "{", "}")));
            return;
        }
        if (arguments[0].startsWith("--")) {
            var builder = new ServiceBusClientBuilder().connectionString(arguments[1]);
            switch (arguments[0]) {
                case "--write" -> Crosswise.write(builder, arguments[3], arguments[4]);
                case "--read" -> Crosswise.read(builder, arguments[3], arguments[4], Integer.parseInt(arguments[5]));
                case "--load" -> Load.run(builder, arguments[3], Integer.parseInt(arguments[4]));
                case "--restart" -> Restart.run(builder);
                case "--administration" -> Administration.run(arguments[1]);
                default -> throw new IllegalArgumentException(arguments[0]);
            }
            System.exit(0);
        }
        var threads = Executors.newFixedThreadPool(8);
        SCENARIOS.forEach((name, scenario) -> threads.submit(() -> {
            String error = null;
            try (var test = new Test(arguments[0], name)) {
                scenario.body().run(test);
            } catch (Throwable thrown) {
                error = thrown.toString();
            }
            print(name, error);
        }));
        threads.shutdown();
        threads.awaitTermination(170, TimeUnit.SECONDS);
        System.exit(0);
    }
}
