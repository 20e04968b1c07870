import { noteValue } from "./note-value.ts";
import type { SourceMessageReader, ReadSourceMessage } from "../read/read-message.ts";
import { mergeInto, PathShape, type ShapeBudget } from "./shape.ts";
import type { SourceMessage } from "../read/source.ts";

/** Maximum number of paths of all types together, so that memory stays constant whatever the messages contain. */
const maxPaths = 200_000;
/** Types beyond this share one profile. */
const maxTypes = 2_000;
/** The name for types beyond the maximum. */
const otherTypes = "(other types)";

/** Observations of one type over all its messages. */
export interface TypeProfile {
  readonly name: string;
  /** Messages by the codec that read them. */
  readonly codecs: Map<string, number>;
  readonly root: PathShape;
  /** Whether the type of every text was guessed in some messages. */
  scalarsGuessed: boolean;
}

/** The observations of one message. */
export type NotedMessage = Pick<ReadSourceMessage, "typeName" | "codec" | "body" | "guessing" | "literal">;

/** The profiles of all types, as the first pass makes them. */
export class TypeProfiles {
  readonly #profiles = new Map<string, TypeProfile>();
  readonly #budget: ShapeBudget = { left: maxPaths };

  /** Records what was read from one message. */
  note({ typeName, codec, body, guessing, literal }: NotedMessage): void {
    const profile = this.#profileOf(typeName);
    profile.codecs.set(codec, (profile.codecs.get(codec) ?? 0) + 1);
    if (guessing === "scalars") profile.scalarsGuessed = true;
    noteValue(body, profile.root, { guessing, literal, budget: this.#budget });
  }

  /** Reads a message and records it, unless it is unreadable or has no body. */
  read({ content }: Pick<SourceMessage, "content">, reader: SourceMessageReader): void {
    const read = content.ok ? reader.read(content.envelope) : undefined;
    if (read?.ok === true && read.body !== undefined) this.note(read);
  }

  /** Adds the observations of messages that follow these. */
  add(others: TypeProfiles): void {
    for (const { name, codecs, root, scalarsGuessed } of others.all()) {
      const profile = this.#profileOf(name);
      for (const [codec, count] of codecs) profile.codecs.set(codec, (profile.codecs.get(codec) ?? 0) + count);
      if (scalarsGuessed) profile.scalarsGuessed = true;
      mergeInto(profile.root, root, this.#budget);
    }
  }

  /** By name. */
  get(name: string): TypeProfile | undefined {
    return this.#profiles.get(name) ?? this.#profiles.get(otherTypes);
  }

  all(): readonly TypeProfile[] {
    return [...this.#profiles.values()];
  }

  #profileOf(wanted: string): TypeProfile {
    const known = this.#profiles.get(wanted);
    if (known !== undefined) return known;
    const name = this.#profiles.size < maxTypes ? wanted : otherTypes;
    const made = this.#profiles.get(name) ?? { name, codecs: new Map(), root: new PathShape(), scalarsGuessed: false };
    this.#profiles.set(name, made);
    return made;
  }

  /** Plain data from which {@link TypeProfiles.from} makes them again. */
  toJSON(): unknown {
    return this.all().map(({ codecs, ...profile }) => ({ ...profile, codecs: [...codecs] }));
  }

  /** Reads what {@link toJSON} gives. */
  static from(json: unknown): TypeProfiles {
    const profiles = new TypeProfiles();
    for (const entry of Array.isArray(json) ? json : []) {
      const { name, codecs, root, scalarsGuessed }: Partial<Record<string, unknown>> = { ...entry };
      const counts: readonly (readonly unknown[])[] = Array.isArray(codecs) ? codecs : [];
      profiles.#profiles.set(String(name), {
        name: String(name),
        codecs: new Map(counts.map(([codec, count]) => [String(codec), Number(count)])),
        root: PathShape.from(root),
        scalarsGuessed: scalarsGuessed === true,
      });
    }
    return profiles;
  }
}
