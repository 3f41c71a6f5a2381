/**
 * Asks for an API key. It is kept in the memory of this tab: a reload forgets it, and a password manager may fill it in.
 * Or, where Cloudflare Access is what lets people in, for a reload, which goes through its sign-in.
 */
import { useState } from "preact/hooks";
import type { Failure } from "./api.ts";
import { hasKey, setKey } from "./session.ts";

export function SignIn() {
  const [text, setText] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    if (text.trim() !== "") setKey(text.trim());
  };
  return (
    <section class="sign-in" aria-labelledby="sign-in-title">
      <h1 id="sign-in-title">{hasKey() ? "This key is not accepted" : "Sign in with your API key"}</h1>
      <p>
        {hasKey()
          ? "It may have been replaced, or was not copied whole. Enter the key that is valid now."
          : "Whoever runs this server gives you one. It stays in the memory of this tab and is sent to this server only."}
      </p>
      <form onSubmit={submit}>
        <label for="api-key">API key</label>
        <input
          id="api-key"
          name="password"
          type="password"
          autocomplete="current-password"
          spellcheck={false}
          required
          value={text}
          onInput={(event: Event) => setText(textOf(event))}
        />
        <button type="submit" class="button button-main">
          Sign in
        </button>
      </form>
    </section>
  );
}

export function SignInAgain({ failure }: { failure: Failure }) {
  return (
    <section class="sign-in" role="alert">
      <h1>{failure.title}</h1>
      <p>{failure.detail}</p>
      <button type="button" class="button button-main" onClick={() => location.reload()}>
        Reload
      </button>
    </section>
  );
}

function textOf(event: Event): string {
  return event.target instanceof HTMLInputElement ? event.target.value : "";
}
