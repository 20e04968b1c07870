package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
)

// Prints "ready" when its links are open, and waits for a line: by then the server has started again.
func restart(ctx context.Context, client *azservicebus.Client) {
	sender := must(client.NewSender("q", nil))
	receiver := must(client.NewReceiverForQueue("q", nil))
	bodies := []string{}
	exchange := func(body string) {
		check(sender.SendMessage(ctx, text(body), nil))
		// The client returns without a message when it has connected again.
		messages := []*azservicebus.ReceivedMessage{}
		for len(messages) == 0 {
			messages = must(receiver.ReceiveMessages(ctx, 1, nil))
		}
		bodies = append(bodies, string(messages[0].Body))
		check(receiver.CompleteMessage(ctx, messages[0], nil))
	}
	exchange("before")
	session := must(client.AcceptSessionForQueue(ctx, "s", "a", nil))
	check(session.SetSessionState(ctx, []byte("state of the session"), nil))
	check(session.Close(ctx))
	fmt.Println("ready")
	must(bufio.NewReader(os.Stdin).ReadString('\n'))
	exchange("after")
	exchange("later")
	fmt.Println(strings.Join(bodies, " "))
	session = must(client.AcceptSessionForQueue(ctx, "s", "a", nil))
	fmt.Println(string(must(session.GetSessionState(ctx, nil))))
}
