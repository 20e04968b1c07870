package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

func settling() []scenario {
	return []scenario{
		{"completing", nil, func(t *test) {
			t.roundTrip(text("x"))
			t.isEmpty()
		}},
		{"abandoning-with-properties", nil, func(t *test) {
			t.send(text("x"))
			receiver := t.receiver()
			changed := &azservicebus.AbandonMessageOptions{PropertiesToModify: map[string]any{"attempt": int64(1)}}
			check(receiver.AbandonMessage(t.ctx, t.one(receiver), changed))
			again := t.one(receiver)
			equal(again.DeliveryCount, uint32(2))
			equal(again.ApplicationProperties, map[string]any{"attempt": int64(1)})
		}},
		{"too-many-deliveries", settings{"maxDeliveryCount": 2}, func(t *test) {
			t.send(text("x"))
			receiver := t.receiver()
			for range 2 {
				check(receiver.AbandonMessage(t.ctx, t.one(receiver), nil))
			}
			equal(*t.one(t.deadLetters()).DeadLetterReason, "MaxDeliveryCountExceeded")
		}},
		{"dead-lettering", nil, func(t *test) {
			t.send(text("x"))
			receiver := t.receiver()
			why := &azservicebus.DeadLetterOptions{
				Reason: ptr("Broken"), ErrorDescription: ptr("no total"), PropertiesToModify: map[string]any{"seen": true},
			}
			check(receiver.DeadLetterMessage(t.ctx, t.one(receiver), why))
			letters := t.deadLetters()
			letter := t.one(letters)
			equal(*letter.DeadLetterReason, "Broken")
			equal(*letter.DeadLetterErrorDescription, "no total")
			equal(letter.ApplicationProperties["seen"], any(true))
			check(letters.CompleteMessage(t.ctx, letter, nil))
			equal(len(must(letters.PeekMessages(t.ctx, 1, nil))), 0)
		}},
		{"deferring", nil, func(t *test) {
			t.send(text("x"))
			receiver := t.receiver()
			message := t.one(receiver)
			check(receiver.DeferMessage(t.ctx, message, nil))
			equal(must(receiver.PeekMessages(t.ctx, 1, nil))[0].State, azservicebus.MessageStateDeferred)
			deferred := must(receiver.ReceiveDeferredMessages(t.ctx, []int64{*message.SequenceNumber}, nil))
			equal(bodies(deferred), []string{"x"})
			check(receiver.CompleteMessage(t.ctx, deferred[0], nil))
			t.isEmpty()
		}},
		{"dead-lettering-what-was-deferred", nil, func(t *test) {
			t.send(text("x"))
			receiver := t.receiver()
			message := t.one(receiver)
			check(receiver.DeferMessage(t.ctx, message, nil))
			deferred := must(receiver.ReceiveDeferredMessages(t.ctx, []int64{*message.SequenceNumber}, nil))
			check(receiver.DeadLetterMessage(t.ctx, deferred[0], nil))
			equal(string(t.one(t.deadLetters()).Body), "x")
		}},
		{"a-missing-deferred-message", nil, func(t *test) {
			_, err := t.receiver().ReceiveDeferredMessages(t.ctx, []int64{77}, nil)
			hasCode(err, azservicebus.CodeNotFound)
		}},
		{"renewing-a-lock", settings{"lockDuration": "PT2S"}, func(t *test) {
			t.send(text("x"))
			receiver := t.receiver()
			message := t.one(receiver)
			before := *message.LockedUntil
			time.Sleep(100 * time.Millisecond)
			check(receiver.RenewMessageLock(t.ctx, message, nil))
			equal(message.LockedUntil.After(before), true)
			check(receiver.CompleteMessage(t.ctx, message, nil))
		}},
		{"a-lost-lock", settings{"lockDuration": "PT0.2S"}, func(t *test) {
			t.send(text("x"))
			receiver := t.receiver()
			message := t.one(receiver)
			again := t.one(must(t.client.NewReceiverForQueue(t.queue, nil)))
			equal(again.DeliveryCount > message.DeliveryCount, true)
			hasCode(receiver.CompleteMessage(t.ctx, message, nil), azservicebus.CodeLockLost)
		}},
		{"completing-over-another-receiver", nil, func(t *test) {
			t.send(text("x"))
			receiver := t.receiver()
			message := t.one(receiver)
			check(receiver.Close(t.ctx))
			check(t.receiver().CompleteMessage(t.ctx, message, nil))
			t.isEmpty()
		}},
		{"receive-and-delete", nil, func(t *test) {
			t.send(text("a"), text("b"))
			equal(bodies(t.receive(t.deleting(), 2)), []string{"a", "b"})
			t.isEmpty()
		}},
		{"no-message-in-time", nil, func(t *test) {
			ctx, cancel := context.WithTimeout(t.ctx, 200*time.Millisecond)
			defer cancel()
			_, err := t.receiver().ReceiveMessages(ctx, 1, nil)
			equal(errors.Is(err, context.DeadlineExceeded), true)
		}},
		{"expired-messages", settings{"deadLetteringOnMessageExpiration": true}, func(t *test) {
			message := text("x")
			message.TimeToLive = ptr(100 * time.Millisecond)
			t.send(message)
			equal(*t.one(t.deadLetters()).DeadLetterReason, "TTLExpiredException")
		}},
		{"duplicates", settings{"requiresDuplicateDetection": true}, func(t *test) {
			for range 2 {
				message := text("x")
				message.MessageID = ptr("same")
				t.send(message)
			}
			equal(len(must(t.receiver().PeekMessages(t.ctx, 5, nil))), 1)
		}},
		{"a-missing-queue", nil, func(t *test) {
			err := t.sender("missing").SendMessage(t.ctx, text("x"), nil)
			equal(err != nil && strings.Contains(err.Error(), "amqp:not-found"), true)
		}},
		{"a-receiver-of-sessions-without-one", settings{"requiresSession": true}, func(t *test) {
			_, err := t.receiver().ReceiveMessages(t.ctx, 1, nil)
			equal(err != nil && t.ctx.Err() == nil, true)
		}},
	}
}
