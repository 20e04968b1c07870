import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.google.protobuf.ByteString;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Message;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;

/**
 * Reads golden messages with the decoders of Java: GoldenReader FOLDER [DESCRIPTOR_SET].
 *
 * <p>Prints one line of JSON for each: {"file": ..., "problem": null or a sentence}.
 */
public final class GoldenReader {
    /** A number as the text of a JSON file has it. */
    private record NumberText(String digits) {}

    private final Map<String, Descriptor> messages = new TreeMap<>();

    public static void main(String[] args) throws Exception {
        var folder = Path.of(args[0]);
        var reader = new GoldenReader();
        if (args.length > 1) reader.addDescriptors(FileDescriptorSet.parseFrom(Files.readAllBytes(Path.of(args[1]))));
        try (var paths = Files.find(folder, 4, (path, of) -> path.toString().endsWith(".json"))) {
            for (var path : paths.sorted().toList()) {
                var line = new TreeMap<String, Object>();
                line.put("file", folder.relativize(path).toString());
                try {
                    line.put("problem", reader.problemOf(path));
                } catch (IOException | RuntimeException error) {
                    line.put("problem", error.toString());
                }
                System.out.println(jsonOf(line));
            }
        }
    }

    private void addDescriptors(FileDescriptorSet set) throws DescriptorValidationException {
        var built = new TreeMap<String, FileDescriptor>();
        // The files of a set follow the ones that they import.
        for (FileDescriptorProto file : set.getFileList()) {
            var imports = file.getDependencyList().stream().map(built::get).toArray(FileDescriptor[]::new);
            var made = FileDescriptor.buildFrom(file, imports);
            built.put(file.getName(), made);
            made.getMessageTypes().forEach(this::addMessage);
        }
    }

    private void addMessage(Descriptor message) {
        messages.put(message.getFullName(), message);
        message.getNestedTypes().forEach(this::addMessage);
    }

    private String problemOf(Path path) throws IOException {
        var golden = asObject(parsed(Files.readString(path)));
        var payload = Files.readAllBytes(Path.of(path.toString().replaceFirst("json$", "bin")));
        if (!sha256(payload).equals(golden.get("sha256"))) return "the payload was changed";
        if (golden.get("metadataSha256") instanceof String hash) {
            var told = new TreeMap<>(golden);
            told.keySet().removeAll(List.of("sha256", "metadataSha256"));
            if (!sha256(jsonOf(told).getBytes(StandardCharsets.UTF_8)).equals(hash)) return "the description was changed";
        }
        var holder = golden.get("brokerProperties") instanceof Map<?, ?> properties ? properties : golden;
        var contentType = String.valueOf(holder.get("contentType"));
        var read =
                switch (contentType.split(";")[0]) {
                    case "application/json" -> plain(parsed(new String(payload, StandardCharsets.UTF_8)));
                    case "application/vnd.msgpack" -> unpacked(payload);
                    case "application/protobuf" -> membersOf(message(payload, contentType.split("messageType=")[1]));
                    default -> throw new IOException("no decoder for " + contentType);
                };
        var expected = plain(golden.get("expected"));
        return expected.equals(read) ? null : "read as " + read + " instead of " + expected;
    }

    private static Object unpacked(byte[] payload) throws IOException {
        try (MessageUnpacker unpacker = MessagePack.newDefaultUnpacker(payload)) {
            return plain(unpacker.unpackValue());
        }
    }

    private DynamicMessage message(byte[] payload, String name) throws IOException {
        return DynamicMessage.parseFrom(messages.get(name), payload);
    }

    /** The members as the codec of sobre gives them: fields without presence are always there, enums by name. */
    private static Map<String, Object> membersOf(Message message) {
        var members = new TreeMap<String, Object>();
        for (var field : message.getDescriptorForType().getFields()) {
            if (field.hasPresence() && !message.hasField(field)) continue;
            var value = message.getField(field);
            members.put(
                    memberName(field.getName()),
                    field.isMapField()
                            ? ((List<?>) value).stream().map(Message.class::cast).collect(Collectors.toMap(
                                    entry -> String.valueOf(entryPart(entry, "key")), entry -> entryPart(entry, "value"),
                                    (first, last) -> last, TreeMap::new))
                            : field.isRepeated()
                                    ? ((List<?>) value).stream().map(item -> valueOf(item, field)).toList()
                                    : valueOf(value, field));
        }
        return members;
    }

    private static Object entryPart(Message entry, String name) {
        var field = entry.getDescriptorForType().findFieldByName(name);
        return valueOf(entry.getField(field), field);
    }

    private static String memberName(String field) {
        return new StringBuilder()
                .append(field.charAt(0))
                .append(Pattern.compile("_([a-z])").matcher(field.substring(1))
                        .replaceAll(found -> found.group(1).toUpperCase()))
                .toString();
    }

    private static Object valueOf(Object value, FieldDescriptor field) {
        return switch (field.getType()) {
            case MESSAGE, GROUP -> membersOf((Message) value);
            case ENUM -> {
                var known = (EnumValueDescriptor) value;
                yield known.getIndex() < 0 ? number(BigDecimal.valueOf(known.getNumber())) : known.getName();
            }
            case UINT64, FIXED64 -> number(new BigDecimal(new BigInteger(Long.toUnsignedString((Long) value))));
            case UINT32, FIXED32 -> number(BigDecimal.valueOf(Integer.toUnsignedLong((Integer) value)));
            case BYTES -> ((ByteString) value).asReadOnlyByteBuffer();
            case BOOL, STRING -> value;
            default -> number((Number) value);
        };
    }

    /** One form for the values of JSON files, in which objects with one key that begins with $ are what JSON lacks. */
    private static Object plain(Object value) {
        if (value instanceof NumberText text) return number(new BigDecimal(text.digits()));
        if (value instanceof List<?> items) return items.stream().map(GoldenReader::plain).collect(Collectors.toList());
        if (!(value instanceof Map<?, ?>)) return value;
        var members = asObject(value);
        if (members.get("$int64") instanceof String digits) return number(new BigDecimal(digits));
        if (members.get("$bytes") instanceof String base64) return ByteBuffer.wrap(Base64.getDecoder().decode(base64));
        if (members.get("$dateTime") instanceof String time) return Instant.parse(time);
        if (members.get("$double") instanceof String name) return number(Double.valueOf(name));
        members.replaceAll((name, member) -> plain(member));
        return members;
    }

    private static Object plain(Value value) {
        return switch (value.getValueType()) {
            case NIL -> null;
            case BOOLEAN -> value.asBooleanValue().getBoolean();
            case INTEGER -> number(new BigDecimal(value.asIntegerValue().asBigInteger()));
            case FLOAT -> number(value.asFloatValue().toDouble());
            case STRING -> value.asStringValue().asString();
            case BINARY -> value.asBinaryValue().asByteBuffer();
            case ARRAY -> value.asArrayValue().list().stream().map(GoldenReader::plain).collect(Collectors.toList());
            case MAP -> {
                var members = new TreeMap<String, Object>();
                value.asMapValue().map().forEach((name, member) -> members.put(name.asStringValue().asString(), plain(member)));
                yield members;
            }
            case EXTENSION -> value.asTimestampValue().toInstant();
        };
    }

    /** One form for all numbers that are equal; NaN, infinities and the negative zero stay doubles. */
    private static Object number(Number value) {
        if (value instanceof Float || value instanceof Double) {
            double wide = value.doubleValue();
            if (Double.isNaN(wide) || Double.isInfinite(wide) || (wide == 0 && 1 / wide < 0)) return wide;
            return BigDecimal.valueOf(wide).stripTrailingZeros();
        }
        return (value instanceof BigDecimal exact ? exact : BigDecimal.valueOf(value.longValue())).stripTrailingZeros();
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> asObject(Object json) {
        return (Map<String, Object>) json;
    }

    private static Object parsed(String json) throws IOException {
        try (var parser = new JsonFactory().createParser(json)) {
            parser.nextToken();
            return valueAt(parser);
        }
    }

    private static Object valueAt(JsonParser parser) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT -> {
                var members = new TreeMap<String, Object>();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    var name = parser.currentName();
                    parser.nextToken();
                    members.put(name, valueAt(parser));
                }
                return members;
            }
            case START_ARRAY -> {
                var items = new ArrayList<Object>();
                while (parser.nextToken() != JsonToken.END_ARRAY) items.add(valueAt(parser));
                return items;
            }
            case VALUE_STRING -> {
                return parser.getText();
            }
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> {
                return new NumberText(parser.getText());
            }
            case VALUE_TRUE, VALUE_FALSE -> {
                return parser.getBooleanValue();
            }
            default -> {
                return null;
            }
        }
    }

    /** JSON without blanks: members by UTF-16 code units, numbers as they were written. */
    private static String jsonOf(Object value) {
        if (value instanceof NumberText text) return text.digits();
        if (value instanceof String text) return quoted(text);
        if (value instanceof List<?> items)
            return items.stream().map(GoldenReader::jsonOf).collect(Collectors.joining(",", "[", "]"));
        if (value instanceof Map<?, ?>)
            return asObject(value).entrySet().stream()
                    .map(member -> quoted(member.getKey()) + ":" + jsonOf(member.getValue()))
                    .collect(Collectors.joining(",", "{", "}"));
        return String.valueOf(value);
    }

    private static String quoted(String text) {
        var made = new StringBuilder("\"");
        for (int at = 0; at < text.length(); at++) {
            char unit = text.charAt(at);
            int known = "\"\\\b\f\n\r\t".indexOf(unit);
            if (known >= 0) made.append('\\').append("\"\\bfnrt".charAt(known));
            else if (unit < ' ') made.append(String.format("\\u%04x", (int) unit));
            else made.append(unit);
        }
        return made.append('"').toString();
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }
}
