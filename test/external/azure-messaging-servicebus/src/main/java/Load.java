import com.azure.core.util.BinaryData;
import com.azure.messaging.servicebus.*;
import java.time.Duration;

/** Sends messages of 1 KiB one by one and as many in batches, receives all of them, and completes each. */
final class Load {
    private Load() {}

    private static ServiceBusMessage message() {
        var message = new ServiceBusMessage(BinaryData.fromBytes(new byte[1024])).setContentType("application/octet-stream");
        message.getApplicationProperties().put("region", "eu");
        message.getApplicationProperties().put("total", 228.49);
        return message;
    }

    static void run(ServiceBusClientBuilder builder, String queue, int count) {
        try (var sender = builder.sender().queueName(queue).buildClient()) {
            for (int sent = 0; sent < count / 2; sent++) sender.sendMessage(message());
            for (int sent = 0; sent < count / 2; sent += 50) {
                var batch = sender.createMessageBatch();
                for (int number = 0; number < 50; number++) batch.tryAddMessage(message());
                sender.sendMessages(batch);
            }
        }
        try (var receiver = builder.receiver().queueName(queue).maxAutoLockRenewDuration(Duration.ZERO).buildClient()) {
            for (int left = count; left > 0;)
                for (var received : receiver.receiveMessages(Math.min(left, 50), Duration.ofSeconds(5))) {
                    receiver.complete(received);
                    left--;
                }
        }
    }
}
