package main

import (
	"context"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

var ofSessions = settings{"requiresSession": true}

func inSession(id, body string) *azservicebus.Message {
	return &azservicebus.Message{Body: []byte(body), SessionID: &id}
}

func (t *test) accept(id string) *azservicebus.SessionReceiver {
	return must(t.client.AcceptSessionForQueue(t.ctx, t.queue, id, nil))
}

func sessions() []scenario {
	return []scenario{
		{"a-session-in-order", ofSessions, func(t *test) {
			t.send(inSession("a", "1"), inSession("b", "other"), inSession("a", "2"))
			session := t.accept("a")
			equal(session.SessionID(), "a")
			for _, body := range []string{"1", "2"} {
				message := t.one(session)
				equal(string(message.Body), body)
				equal(*message.SessionID, "a")
				check(session.CompleteMessage(t.ctx, message, nil))
			}
		}},
		{"the-next-available-session", ofSessions, func(t *test) {
			t.send(inSession("next", "x"))
			session := must(t.client.AcceptNextSessionForQueue(t.ctx, t.queue, nil))
			equal(session.SessionID(), "next")
			check(session.CompleteMessage(t.ctx, t.one(session), nil))
		}},
		{"no-available-session", ofSessions, func(t *test) {
			ctx, cancel := context.WithTimeout(t.ctx, 300*time.Millisecond)
			defer cancel()
			_, err := t.client.AcceptNextSessionForQueue(ctx, t.queue, nil)
			equal(err != nil, true)
		}},
		{"a-session-that-is-held", ofSessions, func(t *test) {
			t.accept("a")
			ctx, cancel := context.WithTimeout(t.ctx, 2*time.Second)
			defer cancel()
			_, err := t.client.AcceptSessionForQueue(ctx, t.queue, "a", nil)
			equal(err != nil, true)
		}},
		{"session-state", ofSessions, func(t *test) {
			session := t.accept("a")
			equal(len(must(session.GetSessionState(t.ctx, nil))), 0)
			check(session.SetSessionState(t.ctx, []byte{0, 1, 255}, nil))
			equal(must(session.GetSessionState(t.ctx, nil)), []byte{0, 1, 255})
			check(session.Close(t.ctx))
			equal(must(t.accept("a").GetSessionState(t.ctx, nil)), []byte{0, 1, 255})
		}},
		{"renewing-a-session", settings{"requiresSession": true, "lockDuration": "PT2S"}, func(t *test) {
			session := t.accept("a")
			before := session.LockedUntil()
			time.Sleep(100 * time.Millisecond)
			check(session.RenewSessionLock(t.ctx, nil))
			equal(session.LockedUntil().After(before), true)
		}},
		{"abandoning-in-a-session", ofSessions, func(t *test) {
			t.send(inSession("a", "1"), inSession("a", "2"))
			session := t.accept("a")
			check(session.AbandonMessage(t.ctx, t.one(session), nil))
			equal(string(t.one(session).Body), "1")
		}},
		{"deferring-in-a-session", ofSessions, func(t *test) {
			t.send(inSession("a", "1"))
			session := t.accept("a")
			message := t.one(session)
			check(session.DeferMessage(t.ctx, message, nil))
			deferred := must(session.ReceiveDeferredMessages(t.ctx, []int64{*message.SequenceNumber}, nil))
			check(session.CompleteMessage(t.ctx, deferred[0], nil))
		}},
		{"peeking-in-a-session", ofSessions, func(t *test) {
			t.send(inSession("b", "1"), inSession("b", "2"))
			equal(bodies(must(t.accept("b").PeekMessages(t.ctx, 5, nil))), []string{"1", "2"})
		}},
		{"dead-lettering-in-a-session", ofSessions, func(t *test) {
			t.send(inSession("a", "1"))
			session := t.accept("a")
			check(session.DeadLetterMessage(t.ctx, t.one(session), nil))
			equal(*t.one(t.deadLetters()).SessionID, "a")
		}},
	}
}
