import { signal } from "@preact/signals";
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { currentKeys, useKeys } from "../lib/keys";
import { go, route } from "../lib/router";
import { status } from "../store/app";
import { asking } from "../store/tasks";
import { Icon } from "../ui/icons";
import { Dialog, Toasts } from "../ui/parts";
import { Compare } from "./Compare";
import { NewTask } from "./create/NewTask";
import { SignIn } from "./SignIn";
import { TaskView } from "./task/TaskView";
import { TaskList } from "./tasks/TaskList";

/** A view that is loaded when it is first shown. */
function Lazy({ load }: { load: () => Promise<ComponentType> }) {
  const [View, setView] = useState<ComponentType>();
  const [failed, setFailed] = useState(false);
  useEffect(() => void load().then((view) => setView(() => view)).catch(() => setFailed(true)), []);
  if (failed) {
    return (
      <main class="page">
        <h1>This view could not be loaded</h1>
        <p role="alert">The server can't be reached, or has another version of the page by now.</p>
        <p><button type="button" onClick={() => location.reload()}>Load the page again</button></p>
      </main>
    );
  }
  return View ? <View /> : <main class="page"><p class="empty">Loading…</p></main>;
}

const loadUsage = () => import("./Usage").then(({ Usage }) => Usage);
const loadSettings = () => import("./Settings").then(({ Settings }) => Settings);

const helping = signal(false);

function Keys() {
  return (
    <Dialog title="Keys" onClose={() => (helping.value = false)}>
      <dl class="keys">
        {currentKeys().map(({ key, does }) => (
          <div><dt><kbd>{key}</kbd></dt><dd>{does}</dd></div>
        ))}
      </dl>
    </Dialog>
  );
}

function Bar() {
  const at = route.value.name;
  const current = (name: string) => (at === name ? "page" : undefined);
  return (
    <header class="bar">
      <a class="brand" href="/">
        <img src="/icon.svg" alt="" width="22" height="22" /> <span>Troika</span>
        {asking.value.length > 0 && <span class="badge">{asking.value.length}<span class="sr-only"> need you</span></span>}
      </a>
      <nav aria-label="Views">
        <a href="/usage" aria-current={current("usage")} title="Usage"><Icon name="chart" /><span>Usage</span></a>
        <a href="/settings" aria-current={current("settings")} title="Settings"><Icon name="gear" /><span>Settings</span></a>
        <button type="button" class="icon-button keys-button" aria-label="Keys" title="Keys (?)" onClick={() => (helping.value = true)}><Icon name="question" /></button>
        <a href="/new" class="button primary" aria-current={current("new")}><Icon name="plus" /><span>New task</span></a>
      </nav>
    </header>
  );
}

const BANNERS: Record<string, string> = {
  offline: "The server can't be reached. What is shown may be old; the page goes on by itself when the server is back.",
};

function Main() {
  const at = route.value;
  switch (at.name) {
    case "task":
      return <TaskView id={at.id} event={at.event} />;
    case "new":
      return <NewTask />;
    case "compare":
      return <Compare ids={at.ids} />;
    case "usage":
      return <Lazy key="usage" load={loadUsage} />;
    case "settings":
      return <Lazy key="settings" load={loadSettings} />;
    case "tasks":
      return null;
    case "unknown":
      return <main class="page"><h1>There is no such page</h1><p><a href="/">All tasks</a></p></main>;
  }
}

export function App({ problem }: { problem: string }) {
  useKeys([
    { key: "n", does: "new task", run: () => go("/new") },
    { key: "t", does: "all tasks", run: () => go("/") },
    { key: "u", does: "usage", run: () => go("/usage") },
    { key: "?", does: "these keys", run: () => (helping.value = true) },
  ]);
  if (status.value === "signed_out") return <SignIn problem={problem} />;
  const banner = BANNERS[status.value];
  return (
    <div class={`app at-${route.value.name}`}>
      <Bar />
      {banner && <p class="banner" role="alert">{banner}</p>}
      <div class="content">
        {route.value.name !== "compare" && <TaskList />}
        <Main />
      </div>
      {helping.value && <Keys />}
      <Toasts />
    </div>
  );
}
