import { useState } from "preact/hooks";
import { signIn } from "../api/client";

export const CODE = /^#code=([\w-]+)$/;

/** Shown if there is no session: how to get one, and a place for the code. */
export function SignIn({ problem }: { problem: string }) {
  const [error, setError] = useState(problem);
  const use = async (text: string) => {
    const code = /code=([\w-]+)/.exec(text)?.[1] ?? text.trim();
    try {
      await signIn(code);
      location.reload();
    } catch (failure) {
      setError((failure as Error).message);
    }
  };
  return (
    <main class="sign-in" aria-label="Sign in">
      <img src="/icon.svg" alt="" width="56" height="56" />
      <h1>Troika</h1>
      <p>This browser has no access yet. On the machine that runs Troika, type:</p>
      <pre>troika open</pre>
      <p class="muted">It opens this page with a code that is good once, for a minute. <code>troika open --print</code> prints the address for another browser.</p>
      <form onSubmit={(event) => {
        event.preventDefault();
        void use(String(new FormData(event.currentTarget).get("code") ?? ""));
      }}>
        <input name="code" placeholder="The address or the code" aria-label="The address or the code" autocomplete="off" autocapitalize="off" spellcheck={false} />
        <button type="submit" class="primary">Sign in</button>
      </form>
      {error && <p class="bad" role="alert">{error}</p>}
    </main>
  );
}
