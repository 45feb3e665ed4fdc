import { useEffect, useState } from "preact/hooks";
import { listSessions, revokeSession } from "../api/calls";
import type { PageSession } from "../api/types";
import { browserName } from "../lib/format";
import { setTheme, type Theme, theme } from "../lib/theme";
import { visible } from "../lib/visible";
import { serverVersion, status } from "../store/app";
import { notifies, setNotifies } from "../store/notify";
import { Ago, attempt, toast } from "../ui/parts";

function Sessions() {
  const [sessions, setSessions] = useState<PageSession[]>();
  const read = () => void attempt(listSessions()).then((reply) => reply && setSessions(reply.sessions));
  useEffect(read, []);
  const revoke = async (session: PageSession) => {
    if (!(await attempt(revokeSession(session.id)))) return;
    if (session.current) status.value = "signed_out";
    else read();
  };
  return (
    <section>
      <h2>Browsers that have access</h2>
      {!sessions && <p class="muted" role="status">Loading…</p>}
      <ul class="sessions">
        {sessions?.map((session) => (
          <li key={session.id}>
            <span>
              <span title={visible(session.browser)}>{visible(browserName(session.browser)) || "A browser"}</span>{" "}{session.current && <span class="tag good">this one</span>}
              <small>used <Ago time={session.lastUsedAt} /> ago, since {session.createdAt && new Date(session.createdAt).toLocaleDateString()}</small>
            </span>
            <button type="button" class="danger" onClick={() => void revoke(session)}>{session.current ? "Sign out" : "Revoke"}</button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function Settings() {
  return (
    <main class="page settings" aria-label="Settings">
      <h1>Settings</h1>
      <section>
        <h2>Look</h2>
        <label class="setting">
          Theme
          <select value={theme.value} onChange={(event) => setTheme(event.currentTarget.value as Theme)}>
            <option value="system">As the system</option><option value="light">Light</option><option value="dark">Dark</option>
          </select>
        </label>
      </section>
      <section>
        <h2>Notifications</h2>
        <label class="option">
          <input type="checkbox" checked={notifies.value}
            onChange={(event) => void setNotifies(event.currentTarget.checked).then(() => {
              if (!notifies.value && event.currentTarget?.checked) toast("The browser does not allow notifications of this page", true);
            })} />
          <span>Tell me when a task needs me<small>While this page is open, also in the background.</small></span>
        </label>
      </section>
      <Sessions />
      <p class="muted">Troika {serverVersion.value}</p>
    </main>
  );
}
