import com.azure.messaging.servicebus.*;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Goes on with its clients after the server has started again. */
final class Restart {
    private Restart() {}

    private static void exchange(ServiceBusSenderClient sender, ServiceBusReceiverClient receiver, List<String> bodies, String body) {
        sender.sendMessage(new ServiceBusMessage(body));
        for (var end = bodies.size() + 1; bodies.size() < end;)
            for (var message : receiver.receiveMessages(1, Duration.ofSeconds(5))) {
                receiver.complete(message);
                bodies.add(message.getBody().toString());
            }
    }

    private static ServiceBusReceiverClient session(ServiceBusClientBuilder builder) {
        return builder.sessionReceiver().queueName("s").maxAutoLockRenewDuration(Duration.ZERO).buildClient().acceptSession("a");
    }

    /** Prints "ready" when its links are open, and waits for a line: by then the server has started again. */
    static void run(ServiceBusClientBuilder builder) throws IOException {
        var bodies = new ArrayList<String>();
        try (var sender = builder.sender().queueName("q").buildClient();
            var receiver = builder.receiver().queueName("q").maxAutoLockRenewDuration(Duration.ZERO).buildClient()) {
            exchange(sender, receiver, bodies, "before");
            try (var session = session(builder)) {
                session.setSessionState("state of the session".getBytes());
            }
            System.out.println("ready");
            System.in.read();
            exchange(sender, receiver, bodies, "after");
            exchange(sender, receiver, bodies, "later");
            System.out.println(String.join(" ", bodies));
            try (var session = session(builder)) {
                System.out.println(new String(session.getSessionState()));
            }
        }
    }
}
