const ignored = /\/\*[^]*?(?:\*\/|$)|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;
const told = /\b(?:enum|oneof)\b|[{};]|=\s*\w+\s*(?=[;[])/g;

/** The number of fields of the message with the most, in the text of a .proto file; those of its oneofs are its own. */
export function mostFieldsOf(text: string): number {
  const blocks = [{ kind: "", fields: 0 }];
  let kind = "";
  let most = 0;
  for (const [token] of text.replaceAll(ignored, " ").matchAll(told)) {
    const block = blocks.at(-1);
    if (token === "{") {
      blocks.push({ kind, fields: 0 });
      kind = "";
    } else if (token === "}") {
      const closed = blocks.length > 1 ? blocks.pop() : undefined;
      const holder = blocks.at(-1);
      if (closed?.kind === "oneof" && holder !== undefined) holder.fields += closed.fields;
      if (closed?.kind !== "enum") most = Math.max(most, closed?.fields ?? 0, holder?.fields ?? 0);
    } else if (token === "enum" || token === "oneof") kind = token;
    else if (token === ";") kind = "";
    else if (block !== undefined) block.fields++;
  }
  return most;
}
