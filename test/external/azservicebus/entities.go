package main

import (
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus/admin"
)

func (t *test) administration() *admin.Client {
	return must(admin.NewClientFromConnectionString(t.connectionString, nil))
}

func entities() []scenario {
	return []scenario{
		{"a-topic-with-two-subscriptions", settings{"topic": []string{"one", "two"}}, func(t *test) {
			t.send(text("x"))
			for _, name := range []string{"one", "two"} {
				receiver := must(t.client.NewReceiverForSubscription(t.queue, name, nil))
				message := t.one(receiver)
				equal(string(message.Body), "x")
				check(receiver.CompleteMessage(t.ctx, message, nil))
			}
		}},
		{"dead-letters-of-a-subscription", settings{"topic": []string{"one"}}, func(t *test) {
			t.send(text("x"))
			receiver := must(t.client.NewReceiverForSubscription(t.queue, "one", nil))
			check(receiver.DeadLetterMessage(t.ctx, t.one(receiver), nil))
			options := &azservicebus.ReceiverOptions{SubQueue: azservicebus.SubQueueDeadLetter}
			equal(string(t.one(must(t.client.NewReceiverForSubscription(t.queue, "one", options))).Body), "x")
		}},
		{"administration-of-queues", nil, func(t *test) {
			administration := t.administration()
			name := "made-by-go"
			created := must(administration.CreateQueue(t.ctx, name, &admin.CreateQueueOptions{
				Properties: &admin.QueueProperties{MaxDeliveryCount: ptr(int32(3)), LockDuration: ptr("PT45S")},
			}))
			equal(*created.MaxDeliveryCount, 3)
			found := must(administration.GetQueue(t.ctx, name, nil))
			equal(*found.LockDuration, "PT45S")
			found.MaxDeliveryCount = ptr(int32(5))
			updated := must(administration.UpdateQueue(t.ctx, name, found.QueueProperties, nil))
			equal(*updated.MaxDeliveryCount, 5)
			check(must2(administration.DeleteQueue(t.ctx, name, nil)))
			equal(must(administration.GetQueue(t.ctx, name, nil)) == nil, true)
		}},
		{"counts-of-a-queue", nil, func(t *test) {
			t.send(text("a"), text("b"))
			counts := must(t.administration().GetQueueRuntimeProperties(t.ctx, t.queue, nil))
			equal(counts.ActiveMessageCount, 2)
			equal(counts.SizeInBytes > 0, true)
		}},
		{"administration-of-topics-and-rules", nil, func(t *test) {
			administration := t.administration()
			must(administration.CreateTopic(t.ctx, "topic-of-go", nil))
			must(administration.CreateSubscription(t.ctx, "topic-of-go", "large", nil))
			check(must2(administration.DeleteRule(t.ctx, "topic-of-go", "large", "$Default", nil)))
			must(administration.CreateRule(t.ctx, "topic-of-go", "large", &admin.CreateRuleOptions{
				Name:   ptr("totals"),
				Filter: &admin.SQLFilter{Expression: "total > 100"},
				Action: &admin.SQLAction{Expression: "SET size = 'large'"},
			}))
			sender := t.sender("topic-of-go")
			for _, total := range []int64{50, 500} {
				check(sender.SendMessage(t.ctx, &azservicebus.Message{ApplicationProperties: map[string]any{"total": total}}, nil))
			}
			receiver := must(t.client.NewReceiverForSubscription("topic-of-go", "large", nil))
			message := t.one(receiver)
			equal(message.ApplicationProperties, map[string]any{"total": int64(500), "size": "large"})
			equal(len(must(receiver.PeekMessages(t.ctx, 5, &azservicebus.PeekMessagesOptions{FromSequenceNumber: ptr(*message.SequenceNumber + 1)}))), 0)
			must(administration.CreateRule(t.ctx, "topic-of-go", "large", &admin.CreateRuleOptions{
				Name: ptr("orders"), Filter: &admin.CorrelationFilter{Subject: ptr("order")},
			}))
			rules := []string{}
			for pages := administration.NewListRulesPager("topic-of-go", "large", nil); pages.More(); {
				for _, rule := range must(pages.NextPage(t.ctx)).Rules {
					rules = append(rules, rule.Name)
				}
			}
			equal(rules, []string{"orders", "totals"})
		}},
		{"lists-of-queues", nil, func(t *test) {
			count := 0
			for pages := t.administration().NewListQueuesPager(nil); pages.More(); {
				count += len(must(pages.NextPage(t.ctx)).Queues)
			}
			equal(count > 40, true)
		}},
		{"several-clients", nil, func(t *test) {
			for range 5 {
				client := must(azservicebus.NewClientFromConnectionString(t.connectionString, nil))
				sender := must(client.NewSender(t.queue, nil))
				check(sender.SendMessage(t.ctx, text("x"), nil))
				check(client.Close(t.ctx))
			}
			equal(len(t.receive(t.deleting(), 5)), 5)
		}},
		{"a-receiver-that-waits", nil, func(t *test) {
			sender := t.sender(t.queue)
			sent := make(chan error, 1)
			time.AfterFunc(200*time.Millisecond, func() { sent <- sender.SendMessage(t.ctx, text("late"), nil) })
			equal(string(t.one(t.receiver()).Body), "late")
			check(<-sent)
		}},
	}
}

func must2[T any](_ T, err error) error { return err }
