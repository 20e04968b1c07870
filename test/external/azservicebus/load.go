package main

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

// Sends messages of 1 KiB one by one and as many in batches, receives all of them, and completes each.
func load(ctx context.Context, client *azservicebus.Client, queue string, count int) {
	message := &azservicebus.Message{
		Body:                  make([]byte, 1024),
		ContentType:           ptr("application/octet-stream"),
		ApplicationProperties: map[string]any{"region": "eu", "total": 228.49},
	}
	sender := must(client.NewSender(queue, nil))
	for range count / 2 {
		check(sender.SendMessage(ctx, message, nil))
	}
	for sent := 0; sent < count/2; sent += 50 {
		batch := must(sender.NewMessageBatch(ctx, nil))
		for range 50 {
			check(batch.AddMessage(message, nil))
		}
		check(sender.SendMessageBatch(ctx, batch, nil))
	}
	receiver := must(client.NewReceiverForQueue(queue, nil))
	for count > 0 {
		for _, received := range must(receiver.ReceiveMessages(ctx, min(count, 50), nil)) {
			check(receiver.CompleteMessage(ctx, received, nil))
			count--
		}
	}
}
