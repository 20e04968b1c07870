// Prints the contract of the types in an assembly, as `sobre contract dotnet` makes it of their sources. It loads the
// assembly and looks at its types, so run it on code that you trust. C# 5, for .NET Framework and Mono:
//
//   csc -r:System.Runtime.Serialization.dll PrintContracts.cs        or: mcs -r:System.Runtime.Serialization PrintContracts.cs
//   PrintContracts.exe Shop.dll > contracts/Shop.json                 every type that is marked for a serializer
//   PrintContracts.exe Shop.dll Acme.Shop.Order > contracts/Order.json
//
// What a contract does not express is named on standard error, and ends the program with 1.
using System;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Runtime.Serialization;
using System.Text;
using System.Xml.Serialization;

sealed class Node : List<KeyValuePair<string, object>> {
  public Node With(string name, object value) {
    if (value != null && !false.Equals(value)) Add(new KeyValuePair<string, object>(name, value));
    return this;
  }
  public object this[string name] { get { return this.Where(one => one.Key == name).Select(one => one.Value).FirstOrDefault(); } }
  // Adds hints to x-dotnet, which may be the name of a type.
  public Node Hint(string name, object value) {
    if (value == null || false.Equals(value)) return this;
    var own = this["x-dotnet"];
    var hints = own as Node ?? (own == null ? new Node() : new Node().With("type", own));
    hints.With(name, value);
    RemoveAll(one => one.Key == "x-dotnet");
    return With("x-dotnet", hints);
  }
}

static class PrintContracts {
  const BindingFlags Own = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;
  static readonly XsdDataContractExporter Exporter = new XsdDataContractExporter();
  static readonly Dictionary<Type, string> Keys = new Dictionary<Type, string>();
  static readonly Dictionary<string, Node> Definitions = new Dictionary<string, Node>();
  static readonly Queue<Type> Waiting = new Queue<Type>();
  static readonly HashSet<string> Held = new HashSet<string>();
  static readonly HashSet<string> Problems = new HashSet<string>();

  static readonly Dictionary<Type, string> Scalars = new Dictionary<Type, string> {
    { typeof(object), "any" }, { typeof(byte), "byte" }, { typeof(byte[]), "bytes" }, { typeof(char), "char" },
    { typeof(DateTime), "dateTime" }, { typeof(DateTimeOffset), "dateTimeOffset" }, { typeof(decimal), "decimal" },
    { typeof(float), "float" }, { typeof(Guid), "guid" }, { typeof(long), "long" }, { typeof(sbyte), "sbyte" },
    { typeof(short), "short" }, { typeof(TimeSpan), "timespan" }, { typeof(uint), "uint" }, { typeof(ulong), "ulong" },
    { typeof(Uri), "uri" }, { typeof(ushort), "ushort" }, { typeof(Version), "version" }, { typeof(Enum), "any" },
    { typeof(System.Xml.XmlQualifiedName), "qname" }, { typeof(ValueType), "any" },
  };
  static readonly Dictionary<Type, string> Plain = new Dictionary<Type, string> {
    { typeof(bool), "boolean" }, { typeof(double), "number" }, { typeof(int), "integer" }, { typeof(string), "string" },
  };
  // By name, since not every framework has all of them.
  static readonly HashSet<string> Lists = new HashSet<string> {
    "List`1", "IList`1", "ICollection`1", "IEnumerable`1", "HashSet`1", "SortedSet`1", "LinkedList`1", "Queue`1", "Stack`1",
    "Collection`1", "ObservableCollection`1", "BindingList`1", "ArrayList", "IList", "ICollection", "IEnumerable",
  };
  static readonly HashSet<string> Maps = new HashSet<string> {
    "Dictionary`2", "IDictionary`2", "SortedDictionary`2", "SortedList`2", "ConcurrentDictionary`2", "Hashtable", "IDictionary",
  };
  // Whatever they hold, the bytes show it.
  static readonly HashSet<string> Shown = new HashSet<string> { "System.Data.DataSet", "System.Data.DataTable", "System.Numerics.BigInteger" };

  static int Main(string[] args) {
    if (args.Length < 1 || args.Length > 2) { Console.Error.WriteLine("PrintContracts ASSEMBLY [TYPE]"); return 2; }
    var assembly = Assembly.LoadFrom(args[0]);
    var all = assembly.GetTypes().Where(type => !type.IsInterface && !(type.IsAbstract && type.IsSealed) && !type.ContainsGenericParameters && !typeof(Delegate).IsAssignableFrom(type) && !type.Name.Contains("<"));
    var marked = all.Where(IsMarked).ToList();
    var roots = args.Length == 2 ? new List<Type> { assembly.GetType(args[1], true) } : marked.Count > 0 ? marked : all.Where(type => type.IsVisible && !type.IsEnum && CanBeMade(type)).ToList();
    var nodes = roots.Select(Of).ToList();
    while (Waiting.Count > 0) Define(Waiting.Dequeue());
    var free = nodes.Where(node => !(node["$ref"] is string) || !Held.Contains((string)node["$ref"])).ToList();
    var root = nodes.Count == 1 ? nodes[0] : free.Count == 1 ? free[0] : new Node();
    var output = new StringWriter();
    Write(output, Whole(root), "");
    Console.OutputEncoding = new UTF8Encoding(false);
    Console.WriteLine(output);
    foreach (var problem in Problems) Console.Error.WriteLine(problem);
    return Problems.Count == 0 ? 0 : 1;
  }

  static bool IsMarked(Type type) {
    return type.IsDefined(typeof(DataContractAttribute), false) || type.IsDefined(typeof(CollectionDataContractAttribute), false) || (type.IsSerializable && !type.IsEnum) ||
      type.IsDefined(typeof(XmlRootAttribute), false) || type.IsDefined(typeof(XmlTypeAttribute), false);
  }
  static bool CanBeMade(Type type) { return type.IsValueType || type.GetConstructor(Type.EmptyTypes) != null; }
  static T Attribute<T>(ICustomAttributeProvider owner) where T : Attribute { return owner.GetCustomAttributes(typeof(T), false).Cast<T>().FirstOrDefault(); }
  static void Note(string message) { Problems.Add(message); }

  // The node of a type: a scalar, a collection, or a reference to a definition.
  static Node Of(Type type) {
    var inner = Nullable.GetUnderlyingType(type);
    if (inner != null) {
      var node = Of(inner);
      var plain = node["type"] as string;
      node.RemoveAll(one => one.Key == "type");
      return node.With("type", plain == null ? new List<string> { "null" } : new List<string> { plain, "null" });
    }
    if (Plain.ContainsKey(type)) return new Node().With("type", Plain[type]);
    if (Scalars.ContainsKey(type)) return new Node().With("x-dotnet", Scalars[type]);
    if (Shown.Contains(type.FullName)) return new Node().With("x-dotnet", "any");
    if (type.IsArray) {
      if (type.GetArrayRank() == 1) return new Node().With("x-dotnet", "array").With("items", Of(type.GetElementType()));
      Note(type.Name + " has several dimensions, which data contracts do not write");
      return new Node().With("x-dotnet", "any");
    }
    if (typeof(Delegate).IsAssignableFrom(type)) { Note(type.Name + " is a delegate, which no serializer writes"); return new Node().With("x-dotnet", "any"); }
    var collection = CollectionOf(type);
    if (collection != null && Attribute<CollectionDataContractAttribute>(type) == null) return CollectionNode(collection);
    if (type.IsInterface) return new Node().With("x-dotnet", "any");
    var isFramework = type.IsGenericType && type.Namespace != null && type.Namespace.StartsWith("System") && (type.Name.StartsWith("KeyValuePair`") || type.Name.StartsWith("Tuple`") || type.Name.StartsWith("ValueTuple`"));
    if (!isFramework && type.Namespace != null && type.Assembly == typeof(object).Assembly) {
      Note(type.FullName + " is not a type that contracts know");
      return new Node().With("x-dotnet", "any");
    }
    return new Node().With("$ref", "#/$defs/" + KeyOf(type));
  }

  static Node CollectionNode(Type[] items) {
    if (items.Length == 1) return new Node().With("type", "array").With("items", Of(items[0]));
    var node = new Node().With("additionalProperties", Of(items[1]));
    if (items[0] == typeof(string)) return node;
    var key = Of(items[0]);
    var plain = items[0] == typeof(int) ? "int" : items[0] == typeof(double) ? "double" : key["type"] ?? (key.Count == 1 && key["x-dotnet"] is string ? key["x-dotnet"] : key);
    return node.With("x-dotnet", new Node().With("type", "map").With("key", plain));
  }

  // The types of the items of a list, or of the keys and values of a dictionary.
  static Type[] CollectionOf(Type type) {
    if (type == typeof(string) || Attribute<DataContractAttribute>(type) != null) return null;
    for (var at = type; at != null && at != typeof(object); at = at.BaseType) {
      if (at.Namespace == null || !at.Namespace.StartsWith("System.Co")) continue;
      var types = at.IsGenericType ? at.GetGenericArguments() : null;
      if (Maps.Contains(at.Name)) return types ?? new[] { typeof(object), typeof(object) };
      if (Lists.Contains(at.Name)) return types ?? new[] { typeof(object) };
    }
    if (type.IsInterface) return null;
    foreach (var wanted in new[] { typeof(IDictionary<,>), typeof(ICollection<>) }) {
      var found = type.GetInterfaces().FirstOrDefault(one => one.IsGenericType && one.GetGenericTypeDefinition() == wanted);
      if (found != null) return found.GetGenericArguments();
    }
    return null;
  }

  static string KeyOf(Type type) {
    string key;
    if (Keys.TryGetValue(type, out key)) return key;
    key = System.Xml.XmlConvert.DecodeName(Exporter.GetSchemaTypeName(type).Name);
    if (Definitions.ContainsKey(key)) key = type.FullName.Split('[')[0];
    Keys[type] = key;
    Definitions[key] = null;
    Waiting.Enqueue(type);
    return key;
  }

  static void Define(Type type) {
    var key = Keys[type];
    var name = Exporter.GetSchemaTypeName(type);
    var collection = CollectionOf(type);
    var clrName = type.FullName.Split('[')[0];
    const string prefix = "http://schemas.datacontract.org/2004/07/";
    var space = name.Namespace.StartsWith(prefix) ? name.Namespace.Substring(prefix.Length) : "";
    if (clrName == (space == "" ? name.Name : space + "." + name.Name)) clrName = null;
    Node node;
    if (type.IsEnum) node = EnumNode(type).Hint("clrName", clrName);
    else if (collection != null) {
      var attribute = Attribute<CollectionDataContractAttribute>(type);
      node = CollectionNode(collection);
      var hints = node["x-dotnet"] as Node;
      if (hints == null || hints["type"] == null) node.Hint("type", collection.Length == 1 ? "list" : "map");
      node.Hint("name", name.Name);
      if (collection.Length == 1) node.Hint("itemName", attribute.ItemName);
      else node.Hint("entryName", attribute.ItemName).Hint("keyName", attribute.KeyName).Hint("valueName", attribute.ValueName);
    } else node = ClassNode(type).Hint("clrName", clrName);
    if (key != name.Name && collection == null) node.Hint("name", name.Name);
    Definitions[key] = node.Hint("namespace", name.Namespace);
    foreach (KnownTypeAttribute known in type.GetCustomAttributes(typeof(KnownTypeAttribute), false)) {
      var types = known.Type != null ? new[] { known.Type } : ((IEnumerable)type.GetMethod(known.MethodName, BindingFlags.Static | BindingFlags.Public | BindingFlags.NonPublic).Invoke(null, null)).Cast<Type>();
      foreach (var one in types) Hold(Of(one));
    }
    foreach (XmlIncludeAttribute known in type.GetCustomAttributes(typeof(XmlIncludeAttribute), false)) Hold(Of(known.Type));
  }

  static Node EnumNode(Type type) {
    var isContract = Attribute<DataContractAttribute>(type) != null;
    var members = new Node(); var clr = new Node(); var xml = new Node(); var differs = false;
    foreach (var field in type.GetFields(BindingFlags.Static | BindingFlags.Public)) {
      var number = Convert.ToDecimal(Convert.ChangeType(field.GetRawConstantValue(), Enum.GetUnderlyingType(type)));
      var value = Math.Abs(number) <= 9007199254740991m ? (object)number : number.ToString();
      clr.With(field.Name, value);
      var marked = Attribute<EnumMemberAttribute>(field); var written = Attribute<XmlEnumAttribute>(field);
      if (isContract && marked == null) differs = true;
      else {
        var own = isContract && marked.Value != null ? marked.Value : field.Name;
        differs |= own != field.Name;
        members.With(own, value);
      }
      if (written != null && written.Name != null) { xml.With(written.Name, value); differs = true; }
    }
    clr.AddRange(xml);
    return new Node().With("x-dotnet", "enum").Hint("members", members).Hint("clrMembers", differs ? clr : null).Hint("flags", type.IsDefined(typeof(FlagsAttribute), false));
  }

  static Node ClassNode(Type type) {
    var contract = Attribute<DataContractAttribute>(type);
    var isSelfmade = contract == null && typeof(ISerializable).IsAssignableFrom(type);
    var isSerializable = contract == null && !isSelfmade && type.IsSerializable;
    var isForXml = type.Assembly != typeof(object).Assembly && (isSerializable || UsesXmlSerializer(type));
    if (isSelfmade) Note(type.FullName + " writes its members itself (ISerializable): add those of GetObjectData");
    var properties = new Node();
    foreach (var member in MembersOf(type)) {
      var backed = member.Name.EndsWith("k__BackingField") ? type.GetProperty(member.Name.Substring(1, member.Name.IndexOf('>') - 1), Own) : null;
      var attribute = Attribute<DataMemberAttribute>(member);
      var name = contract != null ? (attribute == null ? null : attribute.Name ?? member.Name) : isSelfmade ? null
        : isSerializable ? (member is FieldInfo && !((FieldInfo)member).IsNotSerialized ? member.Name : null)
        : !member.IsDefined(typeof(IgnoreDataMemberAttribute), false) && IsPublic(member) && !(member is FieldInfo && ((FieldInfo)member).IsInitOnly) ? member.Name : null;
      var shown = backed ?? member;
      // The field behind a property stands for it.
      if (isSerializable && member is PropertyInfo && type.GetField("<" + member.Name + ">k__BackingField", Own) != null && !type.GetField("<" + member.Name + ">k__BackingField", Own).IsNotSerialized) continue;
      var xmlName = IsPublic(shown) && !shown.IsDefined(typeof(XmlIgnoreAttribute), false) ? XmlNameOf(shown) : null;
      var key = name ?? (isForXml ? xmlName : null);
      if (key == null) continue;
      var memberType = TypeOf(member);
      if (typeof(Delegate).IsAssignableFrom(memberType) && type.GetEvent(member.Name, Own) != null) { Note(type.FullName + "." + member.Name + " is an event, whose field no serializer but BinaryFormatter writes"); continue; }
      if (properties[key] != null) { Note(type.FullName + "." + member.Name + " is written as " + key + ", like another member"); continue; }
      var node = Of(memberType);
      Hold(node);
      var isMarked = contract != null && attribute != null;
      var own = isForXml ? xmlName : shown.Name;
      node.Hint("order", isMarked && attribute.Order >= 0 ? (object)(decimal)attribute.Order : null).Hint("omitDefault", isMarked && !attribute.EmitDefaultValue);
      node.Hint("member", name == null || own == null || own == name ? null : own);
      if (isForXml) {
        node.Hint("serializer", name == null ? "xml" : xmlName == null ? "dataContract" : null);
        node.Hint("text", xmlName != null && shown.IsDefined(typeof(XmlTextAttribute), false));
        node.Hint("flat", xmlName != null && shown.IsDefined(typeof(XmlElementAttribute), false) && IsList(memberType));
      }
      properties.With(key, node);
    }
    var result = new Node();
    if (type.BaseType != null && !IsEmptyBase(type.BaseType)) result.With("allOf", new List<Node> { Of(type.BaseType) });
    result.With("properties", properties).Hint("struct", type.IsValueType).Hint("reference", contract != null && contract.IsReference).Hint("serializable", isSelfmade);
    var root = Attribute<XmlRootAttribute>(type); var named = Attribute<XmlTypeAttribute>(type);
    var names = new[] { root == null ? "" : root.ElementName, named == null ? "" : named.TypeName }.Where(one => !string.IsNullOrEmpty(one) && one != type.Name).Distinct().ToList();
    return names.Count == 0 ? result : result.Hint("xmlNames", names);
  }

  static bool IsEmptyBase(Type type) { return type == typeof(object) || type == typeof(ValueType) || type == typeof(MarshalByRefObject); }

  static IEnumerable<MemberInfo> MembersOf(Type type) {
    var fields = type.GetFields(Own).Where(one => Attribute<DataContractAttribute>(type) != null || type.IsSerializable || one.IsPublic);
    return fields.Cast<MemberInfo>().Concat(type.GetProperties(Own).Where(one => one.GetIndexParameters().Length == 0 && !IsOverride(one)).Cast<MemberInfo>());
  }
  static bool IsOverride(PropertyInfo property) {
    var get = property.GetGetMethod(true) ?? property.GetSetMethod(true);
    return get.GetBaseDefinition() != get && Attribute<DataMemberAttribute>(property) == null;
  }
  static Type TypeOf(MemberInfo member) { return member is FieldInfo ? ((FieldInfo)member).FieldType : ((PropertyInfo)member).PropertyType; }
  static bool IsList(Type type) { var items = type.IsArray && type != typeof(byte[]) ? new[] { type.GetElementType() } : CollectionOf(type); return items != null && items.Length == 1; }

  // Public, and both read and written; a list needs no setter.
  static bool IsPublic(MemberInfo member) {
    if (member is FieldInfo) return ((FieldInfo)member).IsPublic;
    var property = (PropertyInfo)member;
    if (property.GetGetMethod() == null || IsOverride(property)) return false;
    if (property.GetSetMethod(true) != null) return property.GetSetMethod() != null;
    return !property.PropertyType.IsArray && CollectionOf(property.PropertyType) != null;
  }

  static string XmlNameOf(MemberInfo member) {
    foreach (var other in member.GetCustomAttributes(false).Where(one => one is XmlAnyElementAttribute || one is XmlAnyAttributeAttribute || one is XmlChoiceIdentifierAttribute || one is XmlNamespaceDeclarationsAttribute)) {
      Note(member.DeclaringType.FullName + "." + member.Name + " has " + other.GetType().Name + ", which contracts do not express");
      return null;
    }
    var elements = member.GetCustomAttributes(typeof(XmlElementAttribute), false).Cast<XmlElementAttribute>().ToList();
    if (elements.Count > 1 || elements.Any(one => one.Type != null)) Note(member.DeclaringType.FullName + "." + member.Name + " has elements of several types, of which contracts express one");
    var attribute = Attribute<XmlAttributeAttribute>(member); var array = Attribute<XmlArrayAttribute>(member);
    var name = elements.Count > 0 ? elements[0].ElementName : attribute != null ? attribute.AttributeName : array != null ? array.ElementName : "";
    return string.IsNullOrEmpty(name) ? member.Name : name;
  }

  static bool UsesXmlSerializer(Type type) {
    Func<ICustomAttributeProvider, bool> uses = owner => owner.GetCustomAttributes(false).Any(one => one.GetType().Namespace == "System.Xml.Serialization");
    return uses(type) || type.GetFields(Own).Any(uses) || type.GetProperties(Own).Any(uses);
  }

  static void Hold(object part) {
    var node = part as Node;
    if (node == null) return;
    if (node["$ref"] is string) Held.Add((string)node["$ref"]);
    Hold(node["items"]);
    Hold(node["additionalProperties"]);
  }

  // The most frequent namespace is that of types without one.
  static Node Whole(Node root) {
    var spaces = Definitions.Values.Select(SpaceOf).Where(one => one != null).ToList();
    var frequent = spaces.GroupBy(one => one).OrderByDescending(one => one.Count()).Select(one => one.Key).FirstOrDefault();
    root.Hint("defaultNamespace", frequent);
    if (Definitions.Count == 0) return root;
    var all = new Node();
    foreach (var one in Definitions) {
      if (frequent != null && SpaceOf(one.Value) == frequent) {
        var hints = (Node)one.Value["x-dotnet"];
        hints.RemoveAll(hint => hint.Key == "namespace");
        if (hints.Count == 0) one.Value.RemoveAll(member => member.Key == "x-dotnet");
      }
      all.With(one.Key, one.Value);
    }
    return root.With("$defs", all);
  }
  static string SpaceOf(Node node) {
    var hints = node["x-dotnet"] as Node;
    return hints == null || (hints["type"] != null && (string)hints["type"] != "enum") ? null : (string)hints["namespace"];
  }

  static void Write(TextWriter output, object value, string margin) {
    var node = value as Node; var list = value as IList;
    if (node != null) {
      output.Write(node.Count == 0 ? "{}" : "{");
      for (var index = 0; index < node.Count; index++) {
        output.Write((index == 0 ? "\n" : ",\n") + margin + "  ");
        Write(output, node[index].Key, "");
        output.Write(": ");
        Write(output, node[index].Value, margin + "  ");
      }
      if (node.Count > 0) output.Write("\n" + margin + "}");
    } else if (list != null) {
      output.Write("[");
      for (var index = 0; index < list.Count; index++) { if (index > 0) output.Write(", "); Write(output, list[index], margin); }
      output.Write("]");
    } else if (value is string) {
      output.Write('"');
      foreach (var unit in (string)value) output.Write(unit == '"' || unit == '\\' ? "\\" + unit : unit < ' ' ? "\\u" + ((int)unit).ToString("x4") : unit.ToString());
      output.Write('"');
    } else if (value is bool) output.Write((bool)value ? "true" : "false");
    else output.Write(((decimal)value).ToString(System.Globalization.CultureInfo.InvariantCulture));
  }
}
