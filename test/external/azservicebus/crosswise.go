package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/messaging/azservicebus"
	"github.com/Azure/go-amqp"
)

// A typed value is written as {"t": TYPE, "v": VALUE}; V of an array is bare, and OF the type of its elements.
type typedValue struct {
	Type  string `json:"t"`
	Value any    `json:"v,omitempty"`
	Of    string `json:"of,omitempty"`
}

type valueCase struct {
	Name   string       `json:"name"`
	Kind   string       `json:"kind"`
	Values []typedValue `json:"values"`
	Cannot string       `json:"cannot,omitempty"`
}

func again(value any) typedValue {
	var typed typedValue
	check(json.Unmarshal(must(json.Marshal(value)), &typed))
	return typed
}

func signed(value any, bits int) int64 { return must(strconv.ParseInt(fmt.Sprint(value), 10, bits)) }

func unsigned(value any, bits int) uint64 {
	return must(strconv.ParseUint(fmt.Sprint(value), 10, bits))
}

func fromHex(value any) []byte { return must(hex.DecodeString(value.(string))) }

// The value as this client takes it.
func native(typed typedValue) any {
	value := typed.Value
	if number, ok := value.(float64); ok {
		value = strconv.FormatFloat(number, 'f', -1, 64)
	}
	switch typed.Type {
	case "null":
		return nil
	case "boolean", "string":
		return value
	case "byte":
		return int8(signed(value, 8))
	case "short":
		return int16(signed(value, 16))
	case "int":
		return int32(signed(value, 32))
	case "long":
		return signed(value, 64)
	case "ubyte":
		return uint8(unsigned(value, 8))
	case "ushort":
		return uint16(unsigned(value, 16))
	case "uint":
		return uint32(unsigned(value, 32))
	case "ulong":
		return unsigned(value, 64)
	case "float":
		return math.Float32frombits(uint32(must(strconv.ParseUint(value.(string), 16, 32))))
	case "double":
		return math.Float64frombits(must(strconv.ParseUint(value.(string), 16, 64)))
	case "timestamp":
		return time.UnixMilli(signed(value, 64))
	case "uuid":
		var id amqp.UUID
		text := value.(string)
		copy(id[:], fromHex(text[0:8]+text[9:13]+text[14:18]+text[19:23]+text[24:]))
		return id
	case "binary":
		return fromHex(value)
	case "symbol":
		return amqp.Symbol(value.(string))
	case "list":
		items := []any{}
		for _, item := range value.([]any) {
			items = append(items, native(again(item)))
		}
		return items
	case "map":
		items := map[any]any{}
		for _, pair := range value.([]any) {
			items[native(again(pair.([]any)[0]))] = native(again(pair.([]any)[1]))
		}
		return items
	case "array":
		items := []int32{}
		for _, item := range value.([]any) {
			items = append(items, int32(item.(float64)))
		}
		return items
	}
	panic(fmt.Errorf("it has no %s", typed.Type))
}

func shown(value any) typedValue {
	switch value := value.(type) {
	case nil:
		return typedValue{Type: "null"}
	case bool:
		return typedValue{Type: "boolean", Value: value}
	case string:
		return typedValue{Type: "string", Value: value}
	case int8:
		return typedValue{Type: "byte", Value: fmt.Sprint(value)}
	case int16:
		return typedValue{Type: "short", Value: fmt.Sprint(value)}
	case int32:
		return typedValue{Type: "int", Value: fmt.Sprint(value)}
	case int64:
		return typedValue{Type: "long", Value: fmt.Sprint(value)}
	case uint8:
		return typedValue{Type: "ubyte", Value: fmt.Sprint(value)}
	case uint16:
		return typedValue{Type: "ushort", Value: fmt.Sprint(value)}
	case uint32:
		return typedValue{Type: "uint", Value: fmt.Sprint(value)}
	case uint64:
		return typedValue{Type: "ulong", Value: fmt.Sprint(value)}
	case float32:
		return typedValue{Type: "float", Value: fmt.Sprintf("%08x", math.Float32bits(value))}
	case float64:
		return typedValue{Type: "double", Value: fmt.Sprintf("%016x", math.Float64bits(value))}
	case time.Time:
		return typedValue{Type: "timestamp", Value: fmt.Sprint(value.UnixMilli())}
	case amqp.UUID:
		return typedValue{Type: "uuid", Value: value.String()}
	case amqp.Symbol:
		return typedValue{Type: "symbol", Value: string(value)}
	case []byte:
		return typedValue{Type: "binary", Value: hex.EncodeToString(value)}
	case []int32:
		return typedValue{Type: "array", Of: "int", Value: value}
	case []any:
		items := []typedValue{}
		for _, item := range value {
			items = append(items, shown(item))
		}
		return typedValue{Type: "list", Value: items}
	case map[any]any:
		pairs := [][2]typedValue{}
		for key, item := range value {
			pairs = append(pairs, [2]typedValue{shown(key), shown(item)})
		}
		return typedValue{Type: "map", Value: pairs}
	case map[string]any:
		pairs := [][2]typedValue{}
		for key, item := range value {
			pairs = append(pairs, [2]typedValue{shown(key), shown(item)})
		}
		return typedValue{Type: "map", Value: pairs}
	}
	panic(fmt.Errorf("unexpected %T", value))
}

func messageOf(one valueCase) *azservicebus.AMQPAnnotatedMessage {
	message := &azservicebus.AMQPAnnotatedMessage{
		Properties: &azservicebus.AMQPAnnotatedMessageProperties{Subject: &one.Name},
	}
	switch one.Kind {
	case "property":
		message.Body.Data = [][]byte{{}}
		message.ApplicationProperties = map[string]any{"value": native(one.Values[0])}
	case "data":
		for _, section := range one.Values {
			message.Body.Data = append(message.Body.Data, fromHex(section.Value))
		}
	case "sequence":
		items := []any{}
		for _, item := range one.Values {
			items = append(items, native(item))
		}
		message.Body.Sequence = [][]any{items}
	default:
		message.Body.Value = native(one.Values[0])
		if message.Body.Value == nil {
			panic(fmt.Errorf("nil is no body to it"))
		}
	}
	return message
}

// Sends the cases of the file, and prints the name of each, and why this client cannot send it.
func write(ctx context.Context, client *azservicebus.Client, topic, file string) {
	var cases []valueCase
	check(json.Unmarshal(must(os.ReadFile(file)), &cases))
	sender := must(client.NewSender(topic, nil))
	for _, one := range cases {
		func() {
			line := map[string]string{"name": one.Name}
			defer func() {
				if caught := recover(); caught != nil {
					line["cannot"] = fmt.Sprint(caught)
				}
				check(json.NewEncoder(os.Stdout).Encode(line))
			}()
			check(sender.SendAMQPAnnotatedMessage(ctx, messageOf(one), nil))
		}()
	}
}

// Prints the name, kind and values of each message, with the types that this client shows.
func read(ctx context.Context, client *azservicebus.Client, topic, subscription string, count int) {
	options := &azservicebus.ReceiverOptions{ReceiveMode: azservicebus.ReceiveModeReceiveAndDelete}
	receiver := must(client.NewReceiverForSubscription(topic, subscription, options))
	for count > 0 {
		for _, received := range must(receiver.ReceiveMessages(ctx, count, nil)) {
			count--
			line := valueCase{Name: *received.Subject, Kind: "value"}
			body := received.RawAMQPMessage.Body
			if value, ok := received.ApplicationProperties["value"]; ok {
				line.Kind, line.Values = "property", []typedValue{shown(value)}
			} else if body.Data != nil {
				line.Kind = "data"
				for _, section := range body.Data {
					line.Values = append(line.Values, shown(section))
				}
			} else if body.Sequence != nil {
				line.Kind = "sequence"
				for _, value := range body.Sequence[0] {
					line.Values = append(line.Values, shown(value))
				}
			} else {
				line.Values = []typedValue{shown(body.Value)}
			}
			check(json.NewEncoder(os.Stdout).Encode(line))
		}
	}
}
