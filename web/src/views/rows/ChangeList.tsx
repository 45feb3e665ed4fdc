import { relativePath } from "../../lib/format";
import type { Change } from "../../store/rows";
import { visible } from "../../lib/visible";
import { Counts, Diff } from "../../ui/Diff";
import { Icon } from "../../ui/icons";
import { useFold, useRows } from "./context";

interface FileProps {
  id: string;
  change: Change;
  open: boolean;
  maxLine: number | undefined;
}

function ChangedFile({ id, change, open: openAtFirst, maxLine }: FileProps) {
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
      {open && change.patch && <Diff change={change} wide={wide} maxLine={maxLine} />}
    </li>
  );
}

interface Props {
  id: string;
  changes: Change[];
  open?: boolean;
  maxLine?: number;
}

export function ChangeList({ id, changes, open = false, maxLine }: Props) {
  return (
    <ul class="changes">
      {changes.map((change) => <ChangedFile key={change.path} id={id} change={change} open={open} maxLine={maxLine} />)}
    </ul>
  );
}
