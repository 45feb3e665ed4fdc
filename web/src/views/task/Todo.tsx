import type { TodoItem } from "../../api/types";
import { visible } from "../../lib/visible";
import { Icon } from "../../ui/icons";

const MARKS = { pending: "○", in_progress: "◐", completed: "●", cancelled: "✕" } as const;

export function TodoItems({ items }: { items: TodoItem[] }) {
  return (
    <ul class="todo-items">
      {items.map(({ text, status }) => (
        <li class={`todo-${status}`}>
          <span aria-hidden="true">{MARKS[status]}</span> {visible(text)}
          <span class="sr-only"> ({status.replace("_", " ")})</span>
        </li>
      ))}
    </ul>
  );
}

/** The list of the running turn, above the transcript. */
export function PinnedTodo({ items }: { items: TodoItem[] }) {
  const done = items.filter(({ status }) => status === "completed").length;
  if (!items.length || done === items.length) return null;
  const current = items.find(({ status }) => status === "in_progress") ?? items.find(({ status }) => status === "pending");
  return (
    <details class="pinned-todo">
      <summary>
        <Icon name="list" />
        <strong>{done}/{items.length}</strong> <span class="ellipsis">{visible(current?.text ?? "")}</span>
      </summary>
      <TodoItems items={items} />
    </details>
  );
}
