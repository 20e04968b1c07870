import type { SessionAnswer } from "../api.ts";
import { ApiError, getJson, keepToken, reasonOf } from "./api-client.ts";
import { Entities } from "./entities.tsx";
import { Entity } from "./entity.tsx";
import { useHash } from "./hooks.ts";
import { Message } from "./message.tsx";
import { type JSX, useCallback, useEffect, useState, type TargetedInputEvent } from "./preact.ts";
import { Redrive, Redrives } from "./redrives.tsx";
import { addressOf, type PagePlace, placeOf } from "./router.ts";
import { tokenOf } from "./sign-in.ts";

/** The whole page. */
export function App(): JSX.Element {
  const place = placeOf(useHash());
  const [session, setSession] = useState<SessionAnswer | undefined>(undefined);
  const [problem, setProblem] = useState("");
  const [locked, setLocked] = useState(false);
  const load = useCallback(async () => {
    try {
      setSession(await getJson<SessionAnswer>("session"));
      setLocked(false);
    } catch (error) {
      setLocked(error instanceof ApiError && error.status === 401);
      setProblem(reasonOf(error));
    }
  }, []);
  useEffect(() => {
    void load();
  }, [load]);
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  if (locked) return <SignIn problem={problem} onToken={load} />;
  if (session === undefined) return <p class="empty">{problem === "" ? "Connecting…" : problem}</p>;
  return (
    <>
      <Header session={session} place={place} />
      <View place={place} session={session} />
    </>
  );
}

/** `/` goes to the search, Escape back. */
function onKey(event: KeyboardEvent): void {
  const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select") !== null;
  if (event.key === "/" && !isTyping) {
    document.querySelector<HTMLInputElement>("input.search")?.focus();
    event.preventDefault();
  } else if (event.key === "Escape") {
    if (isTyping && event.target instanceof HTMLElement) event.target.blur();
    else if (placeOf(location.hash).view !== "entities") history.back();
  }
}

function View({ place, session }: { readonly place: PagePlace; readonly session: SessionAnswer }): JSX.Element {
  switch (place.view) {
    case "entity":
      return <Entity key={place.path} place={place} session={session} />;
    case "message":
      return <Message key={addressOf(place)} entity={place.entity} sequence={place.sequence} session={session} />;
    case "redrives":
      return <Redrives />;
    case "redrive":
      return <Redrive id={place.id} session={session} />;
    default:
      return <Entities mayList={session.mayList} inspects={session.inspects} />;
  }
}

function Header({ session, place }: { readonly session: SessionAnswer; readonly place: PagePlace }): JSX.Element {
  const { engine, broker, production, changes, caller } = session;
  return (
    <header class={production ? "production" : undefined}>
      <strong>
        <Mark /> sobre inspector
      </strong>
      <nav aria-label="Views">
        <a href="#/" aria-current={place.view === "entities" ? "page" : undefined}>
          Entities
        </a>
        <a href="#/redrives" aria-current={place.view === "redrives" ? "page" : undefined}>
          Re-drives
        </a>
      </nav>
      <span class="about">
        {production && <b class="badge warn">PRODUCTION</b>}{" "}
        <span>{broker ?? `the ${engine} engine of this process`}</span>
        {caller !== null && <span> as {caller}</span>}{" "}
        <span class="badge">{changes ? "changes allowed" : "read-only"}</span>
      </span>
    </header>
  );
}

/** An envelope: that is the meaning of sobre. */
const Mark = (): JSX.Element => (
  <svg class="mark" viewBox="0 0 20 16" width="20" height="16" aria-hidden="true">
    <rect x="1" y="1" width="18" height="14" rx="2.5" />
    <path d="M2 3l8 6 8-6" />
  </svg>
);

function SignIn({
  problem,
  onToken,
}: {
  readonly problem: string;
  readonly onToken: () => Promise<void>;
}): JSX.Element {
  const [text, setText] = useState("");
  const [refusal, setRefusal] = useState("");
  const [tried, setTried] = useState(false);
  const signIn = async (): Promise<void> => {
    try {
      keepToken(await tokenOf(text, location.host, Date.now()));
      setRefusal("");
      await onToken();
      setTried(true);
    } catch (error) {
      setRefusal(reasonOf(error));
    }
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void signIn();
  };
  return (
    <main class="narrow">
      <h1>Connect</h1>
      <p>
        This broker has keys. The inspector acts with the rights of your connection string; its key does not leave the
        browser.
      </p>
      <form onSubmit={submit} class="panel">
        <label>
          Connection string
          <input
            type="password"
            autocomplete="off"
            value={text}
            onInput={(event: TargetedInputEvent<HTMLInputElement>) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="main">
          Connect
        </button>
        <p role="status" class="bad">
          {refusal === "" && tried ? problem : refusal}
        </p>
      </form>
    </main>
  );
}
