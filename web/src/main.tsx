import { render } from "preact";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/tasks.css";
import "./styles/transcript.css";
import "./styles/forms.css";
import "./styles/phone.css";
import { sessionKey, signIn } from "./api/client";
import { startKeyboard } from "./lib/keyboard";
import { startKeys } from "./lib/keys";
import { startRouter } from "./lib/router";
import { feed, status } from "./store/app";
import { startNotifying } from "./store/notify";
import { App } from "./views/App";
import { CODE } from "./views/SignIn";

async function start(): Promise<void> {
  let problem = "";
  const code = CODE.exec(location.hash)?.[1];
  if (code) {
    // The code must not stay in the history.
    history.replaceState(null, "", location.pathname + location.search);
    await signIn(code).catch((error: Error) => (problem = error.message));
  }
  if (sessionKey()) feed();
  else status.value = "signed_out";
  startRouter();
  startKeys();
  startKeyboard();
  startNotifying();
  render(<App problem={problem} />, document.getElementById("app")!);
}

void start();
