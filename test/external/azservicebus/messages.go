package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

func messages() []scenario {
	return []scenario{
		{"text-body", nil, func(t *test) { equal(string(t.roundTrip(text("añil 漢 🚀")).Body), "añil 漢 🚀") }},
		{"bytes-body", nil, func(t *test) {
			body := make([]byte, 256)
			for index := range body {
				body[index] = byte(index)
			}
			equal(t.roundTrip(&azservicebus.Message{Body: body}).Body, body)
		}},
		{"empty-body", nil, func(t *test) { equal(len(t.roundTrip(text("")).Body), 0) }},
		{"several-data-sections", nil, func(t *test) {
			data := [][]byte{[]byte("one"), []byte("two")}
			equal(t.annotated(azservicebus.AMQPAnnotatedMessageBody{Data: data}).Data, data)
		}},
		{"value-body", nil, func(t *test) {
			value := map[string]any{"a": []any{int64(1), "x", nil, true, 1.5}}
			equal(t.annotated(azservicebus.AMQPAnnotatedMessageBody{Value: value}).Value, any(value))
		}},
		{"sequence-body", nil, func(t *test) {
			sequence := [][]any{{int64(1), int64(2)}, {"x"}}
			equal(t.annotated(azservicebus.AMQPAnnotatedMessageBody{Sequence: sequence}).Sequence, sequence)
		}},
		{"message-of-many-frames", nil, func(t *test) {
			body := strings.Repeat("0123456789", 90_000)
			equal(string(t.roundTrip(text(body)).Body), body)
		}},
		{"broker-properties", nil, func(t *test) {
			received := t.roundTrip(&azservicebus.Message{
				MessageID: ptr("m-1"), ContentType: ptr("application/json"), CorrelationID: ptr("c-1"), Subject: ptr("label"),
				To: ptr("somewhere"), ReplyTo: ptr("answers"), ReplyToSessionID: ptr("r-1"), TimeToLive: ptr(5 * time.Minute),
			})
			equal(received.MessageID, "m-1")
			equal(*received.ContentType, "application/json")
			equal(*received.CorrelationID, "c-1")
			equal(*received.Subject, "label")
			equal(*received.To, "somewhere")
			equal(*received.ReplyTo, "answers")
			equal(*received.ReplyToSessionID, "r-1")
			equal(*received.TimeToLive, 5*time.Minute)
			equal(received.ExpiresAt.Sub(*received.EnqueuedTime).Round(time.Second), 5*time.Minute)
		}},
		{"widths-of-integers", nil, func(t *test) {
			t.properties(map[string]any{
				"int8": int8(-8), "int16": int16(-16), "int32": int32(-32), "int64": int64(1) << 60,
				"uint8": uint8(8), "uint16": uint16(16), "uint32": uint32(32), "uint64": uint64(1) << 63,
			})
		}},
		{"floats-texts-and-booleans", nil, func(t *test) {
			t.properties(map[string]any{"float32": float32(1.5), "float64": 1.25, "text": "é", "yes": true, "no": false, "none": nil})
		}},
		{"bytes-as-properties", nil, func(t *test) { t.properties(map[string]any{"bytes": []byte{0, 255}}) }},
		{"dates-as-properties", nil, func(t *test) {
			when := time.Date(2026, 11, 22, 12, 30, 15, 250_000_000, time.UTC)
			received := t.roundTrip(&azservicebus.Message{ApplicationProperties: map[string]any{"when": when}})
			equal(received.ApplicationProperties["when"].(time.Time).Equal(when), true)
		}},
		{"a-message-without-id", nil, func(t *test) { equal(t.roundTrip(text("x")).ContentType, nil) }},
		{"sequence-numbers-and-times", nil, func(t *test) {
			before := time.Now().Add(-time.Minute)
			received := t.roundTrip(text("x"))
			equal(*received.SequenceNumber > 0, true)
			equal(received.EnqueuedTime.After(before), true)
			equal(received.LockedUntil.After(*received.EnqueuedTime), true)
		}},
		{"a-batch", nil, func(t *test) {
			sender := t.sender(t.queue)
			batch := must(sender.NewMessageBatch(t.ctx, nil))
			for number := range 100 {
				message := &azservicebus.Message{ApplicationProperties: map[string]any{"number": int64(number)}}
				check(batch.AddMessage(message, nil))
			}
			check(sender.SendMessageBatch(t.ctx, batch, nil))
			for number, message := range t.receive(t.deleting(), 100) {
				equal(message.ApplicationProperties["number"], any(int64(number)))
			}
		}},
		{"a-batch-that-is-full", nil, func(t *test) {
			batch := must(t.sender(t.queue).NewMessageBatch(t.ctx, &azservicebus.MessageBatchOptions{MaxBytes: 1000}))
			equal(batch.AddMessage(text(strings.Repeat("x", 2000)), nil), azservicebus.ErrMessageTooLarge)
		}},
		{"a-message-that-is-too-large", nil, func(t *test) {
			err := t.sender(t.queue).SendMessage(t.ctx, text(strings.Repeat("x", 2<<20)), nil)
			equal(err, azservicebus.ErrMessageTooLarge)
		}},
		{"scheduled-messages", nil, func(t *test) {
			sender := t.sender(t.queue)
			soon := time.Now().Add(300 * time.Millisecond)
			numbers := must(sender.ScheduleMessages(t.ctx, []*azservicebus.Message{text("a"), text("b")}, soon, nil))
			equal(len(numbers), 2)
			equal(bodies(t.receive(t.deleting(), 2)), []string{"a", "b"})
		}},
		{"cancelled-messages", nil, func(t *test) {
			sender := t.sender(t.queue)
			later := time.Now().Add(time.Hour)
			numbers := must(sender.ScheduleMessages(t.ctx, []*azservicebus.Message{text("a"), text("b")}, later, nil))
			equal(must(t.receiver().PeekMessages(t.ctx, 1, nil))[0].State, azservicebus.MessageStateScheduled)
			check(sender.CancelScheduledMessages(t.ctx, numbers, nil))
			t.isEmpty()
		}},
		{"a-scheduled-enqueue-time", nil, func(t *test) {
			message := text("x")
			message.ScheduledEnqueueTime = ptr(time.Now().Add(300 * time.Millisecond).Truncate(time.Millisecond))
			equal(t.roundTrip(message).EnqueuedTime.Before(*message.ScheduledEnqueueTime), false)
		}},
		{"peeking", nil, func(t *test) {
			t.send(text("a"), text("b"), text("c"))
			receiver := t.receiver()
			equal(bodies(must(receiver.PeekMessages(t.ctx, 2, nil))), []string{"a", "b"})
			equal(bodies(must(receiver.PeekMessages(t.ctx, 2, nil))), []string{"c"})
			from := &azservicebus.PeekMessagesOptions{FromSequenceNumber: ptr(int64(2))}
			equal(bodies(must(receiver.PeekMessages(t.ctx, 5, from))), []string{"b", "c"})
		}},
		{"ten-thousand-messages", nil, func(t *test) {
			sender := t.sender(t.queue)
			for first := 0; first < 10_000; first += 1000 {
				batch := must(sender.NewMessageBatch(t.ctx, nil))
				for number := first; number < first+1000; number++ {
					check(batch.AddMessage(text(fmt.Sprint(number)), nil))
				}
				check(sender.SendMessageBatch(t.ctx, batch, nil))
			}
			for number, message := range t.receive(t.deleting(), 10_000) {
				equal(string(message.Body), fmt.Sprint(number))
			}
		}},
	}
}

func (t *test) deleting() *azservicebus.Receiver {
	options := &azservicebus.ReceiverOptions{ReceiveMode: azservicebus.ReceiveModeReceiveAndDelete}
	return must(t.client.NewReceiverForQueue(t.queue, options))
}

func (t *test) annotated(body azservicebus.AMQPAnnotatedMessageBody) azservicebus.AMQPAnnotatedMessageBody {
	check(t.sender(t.queue).SendAMQPAnnotatedMessage(t.ctx, &azservicebus.AMQPAnnotatedMessage{Body: body}, nil))
	return t.one(t.deleting()).RawAMQPMessage.Body
}

func (t *test) properties(given map[string]any) {
	received := t.roundTrip(&azservicebus.Message{ApplicationProperties: given})
	equal(received.ApplicationProperties, given)
}
