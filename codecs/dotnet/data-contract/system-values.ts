import { broken } from "../xml/scope.ts";
import { DateTime } from "../../../src/core/values/date-time.ts";
import { DateTimeOffset } from "../../../src/core/values/date-time-offset.ts";
import { Version } from "../../../src/core/values/named-text.ts";
import { ticksPerMinute } from "../../../src/core/values/ticks.ts";
import type { XmlElement } from "../xml/node.ts";
import type { ScalarKind } from "./scalar-kind.ts";
import { contentOf, typedScalar } from "./scalar.ts";

type ElementsByName = ReadonlyMap<string, XmlElement>;

/** The DateTimeOffset or Version that these members represent, or `undefined`. */
export function systemValue(members: ElementsByName): DateTimeOffset | Version | undefined {
  if (members.has("DateTime") && members.has("OffsetMinutes")) return dateTimeOffset(members);
  return members.has("_Major") && members.has("_Minor") ? version(members) : undefined;
}

function dateTimeOffset(members: ElementsByName): DateTimeOffset {
  const time = member(members, "DateTime", "dateTime");
  const minutes = member(members, "OffsetMinutes", "short");
  if (!(time instanceof DateTime) || typeof minutes !== "number") throw incomplete(members);
  return offsetTime(time, minutes);
}

/** Creates a DateTimeOffset from its UTC time and offset. */
export function offsetTime(utc: DateTime, offsetMinutes: number): DateTimeOffset {
  return new DateTimeOffset(utc.ticks - BigInt(utc.offsetMinutes ?? 0) * ticksPerMinute, offsetMinutes);
}

function version(members: ElementsByName): Version {
  const parts = ["_Major", "_Minor", "_Build", "_Revision"].map((name) =>
    members.has(name) ? member(members, name, "int") : -1,
  );
  return versionOf(parts);
}

/** Creates a Version from its parts; missing ones are -1. */
export function versionOf(parts: readonly unknown[]): Version {
  return new Version(parts.filter((part) => typeof part === "number" && part >= 0).join("."));
}

function member(members: ElementsByName, name: string, kind: ScalarKind): unknown {
  const element = members.get(name);
  return element === undefined ? undefined : typedScalar(contentOf(element), kind, element);
}

function incomplete(members: ElementsByName): Error {
  const [first] = members.values();
  return broken("has a DateTimeOffset without its parts", first?.offset ?? 0);
}
