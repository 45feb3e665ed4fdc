import { memo } from "../../lib/memo";
import type { Task } from "../../api/types";
import { firstLine, milliseconds, relativePath, span, totalCost, usageText, words } from "../../lib/format";
import { taskPath } from "../../lib/router";
import { visible } from "../../lib/visible";
import { changedAt, hasFailed } from "../../store/tasks";
import { Ago, HarnessMark, StateMark } from "../../ui/parts";
import { summaryOf } from "../rows/describe";

/** What the task does, wants or brought, in a line. */
export function lastAction(task: Task): string {
  const approval = task.approvals.find(({ delivery }) => delivery === "unanswered");
  if (approval) {
    const about = approval.command || approval.paths.map((path) => relativePath(path, task.cwd)).join(", ");
    const subject = about || relativePath(summaryOf({ name: "", server: "", input: approval.input }), task.cwd);
    return `${approval.toolName}: ${firstLine(subject || approval.reason || words(approval.kind))}`;
  }
  const question = task.questions.find(({ delivery }) => delivery === "unanswered");
  if (question) return firstLine(question.items[0]?.text ?? "asks a question");
  if (hasFailed(task)) return firstLine(task.result?.error || task.reason || task.hint);
  if (task.state === "queued" && task.queuePosition) return `place ${task.queuePosition} in the queue`;
  if (task.state === "running" || task.state === "starting") return task.lastAction || task.reason;
  // The answer is Markdown; its marks would only disturb here.
  return firstLine(task.result?.text || task.reason).replace(/[*`#]+/g, "");
}

interface Props {
  task: Task;
  current: boolean;
  selected: boolean;
  /** `range`: all from the task that was selected before. */
  onSelect: (id: string, range: boolean) => void;
}

export const TaskRow = memo(({ task, current, selected, onSelect }: Props) => {
  const action = lastAction(task);
  const usage = [usageText(task.usage?.total), totalCost(task.usage)].filter(Boolean).join(" · ");
  const title = visible(task.title) || "Untitled";
  return (
    <li class={`task-row${current ? " current" : ""}${selected ? " selected" : ""}`} data-task={task.id}>
      <input type="checkbox" checked={selected} aria-label={`Select ${title}`} onClick={(event) => onSelect(task.id, event.shiftKey)} />
      <a href={taskPath(task.id)} aria-current={current ? "page" : undefined}>
        <span class="line">
          <StateMark task={task} quiet />
          <span class="title">{title}</span>
          <Ago time={changedAt(task)} />
        </span>
        {action && <span class="action">{visible(action)}</span>}
        <span class="facts">
          <HarnessMark id={task.harness} />
          {task.model && <span>{visible(task.model)}</span>}
          <span>{words(task.editMode)}</span>
          <span title={task.cwd}>{visible(task.cwd.split("/").findLast(Boolean) ?? "/")}</span>
          {task.worked && milliseconds(task.worked) > 0 && <span>{span(milliseconds(task.worked))}</span>}
          {usage && <span>{usage}</span>}
        </span>
      </a>
    </li>
  );
});
