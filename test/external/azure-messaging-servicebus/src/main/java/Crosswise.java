import com.azure.core.amqp.models.AmqpMessageBody;
import com.azure.core.amqp.models.AmqpMessageBodyType;
import com.azure.core.util.BinaryData;
import com.azure.messaging.servicebus.*;
import com.azure.messaging.servicebus.models.ServiceBusReceiveMode;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.*;
import org.apache.qpid.proton.amqp.*;

/**
 * Writes and reads values of every AMQP type with the official Java client (azure-messaging-servicebus).
 *
 * <p>{@link #write} sends the cases of a JSON file, and prints a line of JSON for each: its name, and why this client cannot
 * send it. {@link #read} prints a line for each message: its name, its kind and its values, with the types that this client
 * shows. A typed value is written as {"t": TYPE, "v": VALUE}; V of an array is bare, and OF the type of its elements.
 */
final class Crosswise {
    private Crosswise() {}

    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    private static void print(Map<String, Object> line) {
        OUT.println(BinaryData.fromObject(line));
    }

    private static Map<?, ?> map(Object value) {
        return (Map<?, ?>) value;
    }

    private static List<?> list(Object value) {
        return (List<?>) value;
    }

    /** The value as this client takes it: types that Java lacks are those of the AMQP library below it. */
    private static Object nativeOf(Object typed) {
        var type = (String) map(typed).get("t");
        var value = map(typed).get("v");
        var text = String.valueOf(value);
        return switch (type) {
            case "null" -> null;
            case "boolean", "string" -> value;
            case "byte" -> Byte.valueOf(text);
            case "short" -> Short.valueOf(text);
            case "int" -> Integer.valueOf(text);
            case "long" -> Long.valueOf(text);
            case "ubyte" -> UnsignedByte.valueOf(text);
            case "ushort" -> UnsignedShort.valueOf(text);
            case "uint" -> UnsignedInteger.valueOf(text);
            case "ulong" -> UnsignedLong.valueOf(text);
            case "float" -> Float.intBitsToFloat(Integer.parseUnsignedInt(text, 16));
            case "double" -> Double.longBitsToDouble(Long.parseUnsignedLong(text, 16));
            case "decimal32" -> new Decimal32(Integer.parseUnsignedInt(text, 16));
            case "decimal64" -> new Decimal64(Long.parseUnsignedLong(text, 16));
            case "decimal128" -> new Decimal128(HexFormat.of().parseHex(text));
            case "char" -> Character.valueOf(Character.toString(Integer.parseInt(text)).charAt(0));
            case "timestamp" -> new Date(Long.parseLong(text));
            case "uuid" -> UUID.fromString(text);
            case "binary" -> new Binary(HexFormat.of().parseHex(text));
            case "symbol" -> Symbol.valueOf(text);
            case "list" -> new ArrayList<>(list(value).stream().map(Crosswise::nativeOf).toList());
            case "map" -> {
                var items = new LinkedHashMap<Object, Object>();
                for (var pair : list(value)) items.put(nativeOf(list(pair).get(0)), nativeOf(list(pair).get(1)));
                yield items;
            }
            case "array" -> list(value).stream().map(item -> Integer.valueOf(String.valueOf(item))).toArray(Integer[]::new);
            default -> throw new IllegalArgumentException("it has no " + type);
        };
    }

    private static Map<String, Object> typed(String type, Object value) {
        return Map.of("t", type, "v", value);
    }

    private static Map<String, Object> shown(Object value) {
        if (value == null) return Map.of("t", "null");
        if (value instanceof Boolean) return typed("boolean", value);
        if (value instanceof String) return typed("string", value);
        if (value instanceof Byte) return typed("byte", value.toString());
        if (value instanceof Short) return typed("short", value.toString());
        if (value instanceof Integer) return typed("int", value.toString());
        if (value instanceof Long) return typed("long", value.toString());
        if (value instanceof UnsignedByte) return typed("ubyte", value.toString());
        if (value instanceof UnsignedShort) return typed("ushort", value.toString());
        if (value instanceof UnsignedInteger) return typed("uint", value.toString());
        if (value instanceof UnsignedLong) return typed("ulong", value.toString());
        if (value instanceof Float number) return typed("float", "%08x".formatted(Float.floatToIntBits(number)));
        if (value instanceof Double number) return typed("double", "%016x".formatted(Double.doubleToLongBits(number)));
        if (value instanceof Decimal32 number) return typed("decimal32", "%08x".formatted(number.getBits()));
        if (value instanceof Decimal64 number) return typed("decimal64", "%016x".formatted(number.getBits()));
        if (value instanceof Decimal128 number) return typed("decimal128", HexFormat.of().formatHex(number.asBytes()));
        if (value instanceof Character letter) return typed("char", String.valueOf((int) letter));
        if (value instanceof Date date) return typed("timestamp", String.valueOf(date.getTime()));
        if (value instanceof UUID) return typed("uuid", value.toString());
        if (value instanceof Binary bytes) return typed("binary", HexFormat.of().formatHex(bytes.getArray(),
            bytes.getArrayOffset(), bytes.getArrayOffset() + bytes.getLength()));
        if (value instanceof byte[] bytes) return typed("binary", HexFormat.of().formatHex(bytes));
        if (value instanceof Symbol) return typed("symbol", value.toString());
        if (value instanceof List<?> items) return typed("list", items.stream().map(Crosswise::shown).toList());
        if (value instanceof Map<?, ?> items) return typed("map", items.entrySet().stream()
            .map(item -> List.of(shown(item.getKey()), shown(item.getValue()))).toList());
        if (value instanceof Integer[] items) return Map.of("t", "array", "of", "int", "v", Arrays.asList(items));
        if (value instanceof int[] items) return Map.of("t", "array", "of", "int", "v", Arrays.stream(items).boxed().toList());
        throw new IllegalArgumentException("unexpected " + value.getClass());
    }

    private static ServiceBusMessage message(String kind, List<?> values) {
        if (kind.equals("data") && values.size() > 1) throw new IllegalArgumentException("it has one data section");
        return switch (kind) {
            case "property" -> {
                var message = new ServiceBusMessage(new byte[0]);
                message.getApplicationProperties().put("value", nativeOf(values.get(0)));
                yield message;
            }
            case "data" -> new ServiceBusMessage(HexFormat.of().parseHex((String) map(values.get(0)).get("v")));
            case "sequence" -> new ServiceBusMessage(
                AmqpMessageBody.fromSequence(new ArrayList<>(values.stream().map(Crosswise::nativeOf).toList())));
            default -> new ServiceBusMessage(AmqpMessageBody.fromValue(nativeOf(values.get(0))));
        };
    }

    static void write(ServiceBusClientBuilder builder, String topic, String cases) {
        try (var sender = builder.sender().topicName(topic).buildClient()) {
            for (Object one : BinaryData.fromFile(Path.of(cases)).toObject(List.class)) {
                var name = (String) map(one).get("name");
                Map<String, Object> line = new HashMap<>(Map.of("name", name));
                try {
                    sender.sendMessage(message((String) map(one).get("kind"), list(map(one).get("values"))).setSubject(name));
                } catch (RuntimeException error) {
                    line.put("cannot", String.valueOf(error.getMessage()));
                }
                print(line);
            }
        }
    }

    private static Map<String, Object> line(ServiceBusReceivedMessage received) {
        var properties = received.getApplicationProperties();
        var body = received.getRawAmqpMessage().getBody();
        var type = body.getBodyType();
        String kind;
        List<Map<String, Object>> values;
        if (properties.containsKey("value")) {
            kind = "property";
            values = List.of(shown(properties.get("value")));
        } else if (type == AmqpMessageBodyType.DATA) {
            kind = "data";
            values = body.getData().stream().map(Crosswise::shown).toList();
        } else if (type == AmqpMessageBodyType.SEQUENCE) {
            kind = "sequence";
            values = body.getSequence().stream().map(Crosswise::shown).toList();
        } else {
            kind = "value";
            values = List.of(shown(body.getValue()));
        }
        return Map.of("name", received.getSubject(), "kind", kind, "values", values);
    }

    static void read(ServiceBusClientBuilder builder, String topic, String subscription, int count) {
        try (var receiver = builder.receiver().topicName(topic).subscriptionName(subscription)
            .receiveMode(ServiceBusReceiveMode.RECEIVE_AND_DELETE).buildClient()) {
            for (int left = count; left > 0;) {
                var messages = receiver.receiveMessages(left, Duration.ofSeconds(3)).stream().toList();
                for (var received : messages) {
                    try {
                        print(line(received));
                    } catch (RuntimeException error) {
                        print(Map.of("name", received.getSubject(), "cannot", String.valueOf(error)));
                    }
                }
                left -= messages.size();
            }
        }
    }
}
