import { relativePath } from "../../lib/format";
import type { Change } from "../../store/rows";
import { visible } from "../../lib/visible";
import { Counts, Diff } from "../../ui/Diff";
import { Icon } from "../../ui/icons";
import { useFold, useRows } from "./context";

function ChangedFile({ id, change, open: openAtFirst }: { id: string; change: Change; open: boolean }) {
  const { session, wide } = useRows();
  const [open, toggle] = useFold(`${id} ${change.path}`, openAtFirst);
  return (
    <li class={`changed changed-${change.kind}`}>
      <button type="button" class="fold" aria-expanded={open} onClick={toggle} disabled={!change.patch}>
        <Icon name="chevron" />
        <code title={visible(change.path)}>{visible(relativePath(change.path, session.task.value?.cwd))}</code>
        {change.kind !== "changed" && <span class="tag">{change.kind}</span>}
        <Counts change={change} />
      </button>
      {open && change.patch && <Diff change={change} wide={wide} />}
    </li>
  );
}

export function ChangeList({ id, changes, open = false }: { id: string; changes: Change[]; open?: boolean }) {
  return (
    <ul class="changes">
      {changes.map((change) => <ChangedFile key={change.path} id={id} change={change} open={open} />)}
    </ul>
  );
}
