// What was asked and what became of it, in the transcript. What still waits is
// answered below it, in Asks.
import type { Approval, Question } from "../../api/types";
import { words } from "../../lib/format";
import { visible } from "../../lib/visible";

function who(by: string, via: string): string {
  const name = by === "user" || !by ? "you" : by === "rule" ? "a rule" : by === "timeout" ? "a timeout" : by;
  return via ? `${name} (${via})` : name;
}

const DELIVERY = { unanswered: "", accepted: ", not delivered yet", delivered: "", late: ", too late for the agent" } as const;

function ApprovalLine({ approval }: { approval: Approval }) {
  const { state } = approval;
  const what = approval.command || approval.toolName || words(approval.kind);
  if (state === "asked") return <p class="answered asks">Asks: <code>{visible(what)}</code></p>;
  if (state === "cancelled") {
    return <p class="answered">Withdrawn{approval.reason && `: ${visible(approval.reason)}`}{DELIVERY[approval.delivery]}</p>;
  }
  const choice = approval.choice && !["approve", "deny"].includes(approval.choice) ? `: ${words(approval.choice)}` : "";
  return (
    <p class={`answered answered-${state}`}>
      {state === "allowed" ? "Allowed" : "Denied"} by {who(approval.by, approval.via)}{choice}
      {state === "denied" && approval.reason && <q>{visible(approval.reason)}</q>}
      {DELIVERY[approval.delivery]}
    </p>
  );
}

function QuestionLines({ question }: { question: Question }) {
  return (
    <div class="answered">
      {question.items.map((item) => (
        <p>
          {visible(item.text)}{" "}
          {item.answers.length > 0 && <strong>{visible(item.answers.join(", "))}</strong>}
          {question.state === "asked" && item.options.length > 0 && (
            <small class="muted">{visible(item.options.join(" · "))}</small>
          )}
        </p>
      ))}
      {question.state !== "asked" && (
        <p class="muted">
          {question.state === "answered" ? `Answered by ${who(question.by, question.via)}` : "Withdrawn"}
          {DELIVERY[question.delivery]}
        </p>
      )}
    </div>
  );
}

export function Answered({ approval, question }: { approval: Approval | undefined; question: Question | undefined }) {
  return (
    <>
      {approval && <ApprovalLine approval={approval} />}
      {question && <QuestionLines question={question} />}
    </>
  );
}
