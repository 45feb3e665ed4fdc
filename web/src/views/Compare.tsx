import { useEffect } from "preact/hooks";
import { interrupt } from "../api/calls";
import { milliseconds, span, totalCost, usageText } from "../lib/format";
import { taskPath } from "../lib/router";
import { visible } from "../lib/visible";
import { readHarnesses } from "../store/harnesses";
import { Icon } from "../ui/icons";
import { attempt, HarnessMark, StateMark } from "../ui/parts";
import { Asks } from "./task/Asks";
import { isWorking } from "./task/Composer";
import { Transcript } from "./task/Transcript";
import { useSession } from "./task/useSession";

function Column({ id }: { id: string }) {
  const session = useSession(id, "");
  const task = session.task.value;
  if (!task) return <section class="column"><p class="empty">{session.error.value || "Loading…"}</p></section>;
  return (
    <section class="column" tabIndex={-1} aria-label={`${task.harness}: ${task.title}`}>
      <header>
        <h2><a href={taskPath(id)}><HarnessMark id={task.harness} /></a></h2>
        <StateMark task={task} />
        {isWorking(task) && (
          <button type="button" class="icon-button" aria-label={`Interrupt ${task.harness}`} onClick={() => void attempt(interrupt(id))}>
            <Icon name="pause" />
          </button>
        )}
        <p class="facts">
          {[task.model, usageText(task.usage?.total), totalCost(task.usage), milliseconds(task.worked) ? span(milliseconds(task.worked)) : ""]
            .filter(Boolean).map((fact) => <span>{visible(fact)}</span>)}
        </p>
      </header>
      <Transcript session={session} event="" compact />
      <footer class="task-footer"><Asks task={task} session={session} inColumn /></footer>
    </section>
  );
}

/** Several tasks side by side. */
export function Compare({ ids }: { ids: string[] }) {
  useEffect(() => void readHarnesses().catch(() => {}), []);
  return (
    <main class="compare" aria-label="Tasks side by side">
      <h1 class="sr-only">Tasks side by side</h1>
      {ids.map((id) => <Column key={id} id={id} />)}
      {!ids.length && <p class="empty">Select tasks in the list to compare them.</p>}
    </main>
  );
}
