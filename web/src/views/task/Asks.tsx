// What the agent waits for: approvals and questions.
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Task } from "../../api/types";
import { focusView } from "../../lib/focus";
import type { TaskSession } from "../../store/session";
import { Boundary } from "../../ui/Boundary";
import { Rows } from "../rows/context";
import { ApprovalForm } from "./ApprovalForm";
import { askKey } from "./asking";
import { QuestionForm } from "./QuestionForm";

/** Puts the focus to the next thing that is asked, or to the transcript, when an answer took it away. */
function useNextFocus(asks: readonly string[]) {
  const panel = useRef<HTMLElement>(null);
  const view = useRef<Element | null>(null);
  const sent = useRef("");
  useEffect(() => {
    view.current = panel.current?.closest("main.task-view, .column") ?? view.current;
    if (!sent.current || asks.includes(sent.current)) return;
    sent.current = "";
    // Not to a button: a key that is pressed twice would answer what nobody has read.
    if (document.activeElement === document.body) panel.current?.querySelector<HTMLElement>(".ask")?.focus();
    focusView(view.current);
  }, [asks.join(" ")]);
  return { panel, onSend: (key: string) => void (sent.current = key) };
}

interface Props {
  task: Task;
  session: TaskSession;
  /** Whether other tasks are beside this one. */
  inColumn?: boolean;
}

export function Asks({ task, session, inColumn = false }: Props) {
  const context = useMemo(() => ({ session, wide: innerWidth > 1_100 }), [session]);
  const { approvals, questions } = task;
  const all = [...approvals, ...questions];
  const aboveOf = (asked: (typeof all)[number]) =>
    all.slice(0, all.indexOf(asked)).map((other) => `${askKey(other)} ${other.delivery}`).join(" ");
  const open = all.filter(({ delivery }) => delivery === "unanswered");
  const { panel, onSend } = useNextFocus(open.map(askKey));
  if (!approvals.length && !questions.length) return null;
  const first = approvals.find(({ delivery }) => delivery === "unanswered");
  return (
    <Rows.Provider value={context}>
    <section class="asks-panel" ref={panel} aria-label="Waits for you" aria-live="polite">
      {approvals.map((approval) => (
        <Boundary key={askKey(approval)} value={approval} revision={approval.delivery}>
          <ApprovalForm task={task} approval={approval} above={aboveOf(approval)} first={approval === first} inColumn={inColumn} onSend={onSend} />
        </Boundary>
      ))}
      {questions.map((question) => (
        <Boundary key={askKey(question)} value={question} revision={question.delivery}>
          <QuestionForm task={task} question={question} above={aboveOf(question)} onSend={onSend} />
        </Boundary>
      ))}
    </section>
    </Rows.Provider>
  );
}
