/**
 * The name of a type without namespaces, packages and assemblies: `Order` for `{urn:orders}Order`, `List<Line>` for
 * ``System.Collections.Generic.List`1[[Acme.Line, Acme, Version=1.0.0.0]]``.
 */
export function shortTypeName(name: string): string {
  return name
    .replace(/^\{[^}]*\}/, "")
    .replaceAll(/`\d+(?=\[)/g, "")
    .replaceAll(/, [^,[\]]+, Version=[^\]]*?, PublicKeyToken=\w+/g, "")
    .replaceAll(/\[\[?([^[\]]+)\]?\]/g, "<$1>")
    .replaceAll(/(?:[\w$]+\.)+(?=\w)/g, "");
}
