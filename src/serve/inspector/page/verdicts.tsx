import type { AttemptFact, VersionVerdict } from "../api.ts";
import { oneLine } from "../../../core/values/visible-text.ts";
import type { JSX } from "./preact.ts";

interface AttemptsProps {
  readonly attempts: readonly AttemptFact[];
  readonly problem: string | undefined;
}

/** Every attempt at a payload; those that the first bytes ruled out come together. */
export function Attempts({ attempts, problem }: AttemptsProps): JSX.Element {
  const tried = attempts.filter(({ outcome }) => outcome !== "vetoed");
  const ruledOut = attempts.filter(({ outcome }) => outcome === "vetoed").map(({ codec }) => codec);
  if (tried.length === 0 && ruledOut.length === 0)
    return <p class="quiet">{problem ?? "The declared codec read it."}</p>;
  return (
    <ol class="attempts">
      {tried.map(({ codec, outcome, code, offset, message }, index) => (
        <li key={index}>
          <b>{oneLine(codec)}</b>{" "}
          <span class={code === null ? "good" : "bad"}>
            {code ?? outcome}
            {offset === null ? "" : ` at byte ${offset}`}
          </span>
          {message !== null && <div class="quiet">{oneLine(message)}</div>}
        </li>
      ))}
      {ruledOut.length > 0 && <li class="quiet">ruled out by the first bytes: {ruledOut.join(", ")}</li>}
    </ol>
  );
}

/** The versions that read a body, and those that do not. */
export function Versions({ versions }: { readonly versions: readonly VersionVerdict[] }): JSX.Element {
  return (
    <ul>
      {versions.map(({ type, version, declared, reads, why }) => (
        <li key={`${type} ${version}`}>
          {oneLine(type)} v{version}
          {declared ? " (declared)" : ""}:{" "}
          {reads ? <span class="good">reads it</span> : <span class="bad">{oneLine(why)}</span>}
        </li>
      ))}
    </ul>
  );
}
