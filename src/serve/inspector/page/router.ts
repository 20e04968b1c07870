/** The lists of an entity. */
export type Tab = "dead" | "messages" | "sessions";

/** A place in the page, which its address names. */
export type PagePlace =
  | { readonly view: "entities" }
  | { readonly view: "entity"; readonly path: string; readonly tab: Tab; readonly filter: Filter }
  | { readonly view: "message"; readonly entity: string; readonly sequence: string }
  | { readonly view: "redrives" }
  | { readonly view: "redrive"; readonly id: string };

const filterNames = ["reason", "source", "type", "error", "text", "path", "state", "session", "related"] as const;

/** The limits of a list. */
export type Filter = { readonly [Name in (typeof filterNames)[number]]?: string | undefined };

/** The place that an address names; one that is unknown is the list of entities. */
export function placeOf(hash: string): PagePlace {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?", 2);
  const [view, ...rest] = path.split("/").map(decoded);
  const [first = "", second = ""] = rest;
  if (view === "e" && first !== "") {
    const tab = second === "messages" || second === "sessions" ? second : "dead";
    return { view: "entity", path: first, tab, filter: filterOf(new URLSearchParams(query)) };
  }
  if (view === "m" && first !== "" && /^\d+$/.test(second)) return { view: "message", entity: first, sequence: second };
  if (view === "redrives") return first === "" ? { view: "redrives" } : { view: "redrive", id: first };
  return { view: "entities" };
}

/** The address of a place. */
export function addressOf(place: PagePlace): string {
  const encoded = encodeURIComponent;
  switch (place.view) {
    case "entity": {
      const query = new URLSearchParams(Object.entries(place.filter).filter(isGiven)).toString();
      return `#/e/${encoded(place.path)}/${place.tab}${query === "" ? "" : `?${query}`}`;
    }
    case "message":
      return `#/m/${encoded(place.entity)}/${place.sequence}`;
    case "redrives":
      return "#/redrives";
    case "redrive":
      return `#/redrives/${encoded(place.id)}`;
    default:
      return "#/";
  }
}

const isGiven = (entry: readonly [string, string | undefined]): entry is [string, string] => entry[1] !== undefined;

const filterOf = (query: URLSearchParams): Filter =>
  Object.fromEntries(filterNames.flatMap((name) => (query.has(name) ? [[name, query.get(name) ?? ""]] : [])));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
