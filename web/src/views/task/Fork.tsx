import { useState } from "preact/hooks";
import { fork } from "../../api/calls";
import type { Task } from "../../api/types";
import { useDraft } from "../../lib/draft";
import { accepted, requestKey } from "../../lib/request_key";
import { go, taskPath } from "../../lib/router";
import { capability } from "../../store/harnesses";
import { attempt, Dialog } from "../../ui/parts";

export function ForkDialog({ task, onClose }: { task: Task; onClose: () => void }) {
  const [prompt, setPrompt] = useDraft(`${task.id}.fork`, "");
  const [turn, setTurn] = useState(0);
  const [busy, setBusy] = useState(false);
  const send = async () => {
    setBusy(true);
    const name = `${task.id}.fork`;
    const made = await attempt(fork(task.id, { prompt, turn, idempotencyKey: requestKey(name, [prompt, turn]) }));
    setBusy(false);
    if (!made) return;
    accepted(name);
    setPrompt("");
    go(taskPath(made.id));
  };
  return (
    <Dialog title="Fork this task" onClose={onClose}>
      <form class="stack" onSubmit={(event) => (event.preventDefault(), void send())}>
        <p class="muted">A new task goes on with a copy of the conversation. This one stays as it is.</p>
        <label>
          Prompt
          <textarea rows={4} required value={prompt} onInput={(event) => setPrompt(event.currentTarget.value)} />
        </label>
        {capability(task.harness, "forkAtTurn") && task.turns > 1 && (
          <label>
            From
            <select value={turn} onChange={(event) => setTurn(Number(event.currentTarget.value))}>
              <option value={0}>the last turn</option>
              {Array.from({ length: task.turns - 1 }, (_, i) => <option value={i + 1}>turn {i + 1}</option>)}
            </select>
          </label>
        )}
        <div class="choices"><button type="submit" class="primary" disabled={busy || !prompt.trim()}>Fork</button></div>
      </form>
    </Dialog>
  );
}
