// The official Go client (azservicebus) against a server of ours, scenario by scenario.
//
// "--list" prints each scenario with the settings of its queue, or the subscriptions of its topic, as JSON. "--write",
// "--read", "--load" and "--restart" with the connection string, the certificate and an entity run the functions of
// these names.
// Otherwise the connection string is given, and one line of JSON is printed for each scenario: its name, and the error
// if it failed. SSL_CERT_FILE is the server's certificate.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

type settings map[string]any

type scenario struct {
	name     string
	settings settings
	run      func(t *test)
}

// A test fails by a panic with an error, which ends its scenario alone.
type test struct {
	ctx              context.Context
	connectionString string
	client           *azservicebus.Client
	queue            string
}

const patience = 30 * time.Second

var retries = azservicebus.RetryOptions{MaxRetries: 2, RetryDelay: 50 * time.Millisecond}

func equal[T any](actual, expected T) {
	if !reflect.DeepEqual(actual, expected) {
		panic(fmt.Errorf("expected %v, and it is %v", expected, actual))
	}
}

func must[T any](value T, err error) T {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func hasCode(err error, code azservicebus.Code) {
	var failure *azservicebus.Error
	if !errors.As(err, &failure) || failure.Code != code {
		panic(fmt.Errorf("expected the code %s, and the error is %v", code, err))
	}
}

func ptr[T any](value T) *T { return &value }

func (t *test) sender(entity string) *azservicebus.Sender {
	return must(t.client.NewSender(entity, nil))
}

func (t *test) receiver() *azservicebus.Receiver {
	return must(t.client.NewReceiverForQueue(t.queue, nil))
}

func (t *test) deadLetters() *azservicebus.Receiver {
	options := &azservicebus.ReceiverOptions{SubQueue: azservicebus.SubQueueDeadLetter}
	return must(t.client.NewReceiverForQueue(t.queue, options))
}

func (t *test) send(messages ...*azservicebus.Message) {
	sender := t.sender(t.queue)
	for _, message := range messages {
		check(sender.SendMessage(t.ctx, message, nil))
	}
	check(sender.Close(t.ctx))
}

func text(body string) *azservicebus.Message { return &azservicebus.Message{Body: []byte(body)} }

type source interface {
	ReceiveMessages(context.Context, int, *azservicebus.ReceiveMessagesOptions) ([]*azservicebus.ReceivedMessage, error)
}

func (t *test) receive(from source, count int) []*azservicebus.ReceivedMessage {
	var messages []*azservicebus.ReceivedMessage
	for len(messages) < count {
		messages = append(messages, must(from.ReceiveMessages(t.ctx, min(count-len(messages), 5000), nil))...)
	}
	return messages
}

func (t *test) one(from source) *azservicebus.ReceivedMessage { return t.receive(from, 1)[0] }

func (t *test) roundTrip(message *azservicebus.Message) *azservicebus.ReceivedMessage {
	t.send(message)
	receiver := t.receiver()
	received := t.one(receiver)
	check(receiver.CompleteMessage(t.ctx, received, nil))
	check(receiver.Close(t.ctx))
	return received
}

func (t *test) isEmpty() {
	peeked := must(t.receiver().PeekMessages(t.ctx, 1, nil))
	equal(len(peeked), 0)
}

func bodies(messages []*azservicebus.ReceivedMessage) []string {
	found := []string{}
	for _, message := range messages {
		found = append(found, string(message.Body))
	}
	return found
}

// Each scenario has a client of its own: when the context of a call ends, this client gives its connection up.
func outcome(one scenario, connectionString string) (failure error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	defer func() {
		if caught := recover(); caught != nil {
			failure = fmt.Errorf("%v", caught)
		}
	}()
	options := &azservicebus.ClientOptions{RetryOptions: retries}
	client := must(azservicebus.NewClientFromConnectionString(connectionString, options))
	one.run(&test{ctx: ctx, connectionString: connectionString, client: client, queue: one.name})
	return client.Close(ctx)
}

func command(name string, arguments []string) {
	ctx := context.Background()
	client := must(azservicebus.NewClientFromConnectionString(arguments[0], nil))
	entity := arguments[2]
	switch name {
	case "--write":
		write(ctx, client, entity, arguments[3])
	case "--read":
		read(ctx, client, entity, arguments[3], must(strconv.Atoi(arguments[4])))
	case "--load":
		load(ctx, client, entity, must(strconv.Atoi(arguments[3])))
	case "--restart":
		restart(ctx, client)
	}
	check(client.Close(ctx))
}

func main() {
	if strings.HasPrefix(os.Args[1], "--") && os.Args[1] != "--list" {
		command(os.Args[1], os.Args[2:])
		return
	}
	scenarios := append(append(append(messages(), settling()...), sessions()...), entities()...)
	if os.Args[1] == "--list" {
		listed := map[string]settings{}
		for _, one := range scenarios {
			listed[one.name] = one.settings
		}
		check(json.NewEncoder(os.Stdout).Encode(listed))
		return
	}
	var together sync.WaitGroup
	var printing sync.Mutex
	for _, one := range scenarios {
		together.Go(func() {
			result := map[string]string{"name": one.name}
			if failure := outcome(one, os.Args[1]); failure != nil {
				result["error"] = failure.Error()
			}
			printing.Lock()
			defer printing.Unlock()
			check(json.NewEncoder(os.Stdout).Encode(result))
		})
	}
	together.Wait()
}
