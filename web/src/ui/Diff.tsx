import { useMemo, useState } from "preact/hooks";
import { firstLines, MAX_LINE } from "../lib/lines";
import { visible } from "../lib/visible";
import type { Change } from "../store/rows";
import { type DiffLine, diffLines, diffPairs } from "./diff_lines";

const SIGNS = { hunk: "", same: " ", added: "+", removed: "−" } as const;
const FIRST = 40;

function Cells({ line, old = false }: { line: DiffLine | undefined; old?: boolean }) {
  if (!line) return <td class="none" colSpan={2} />;
  return (
    <>
      <td class="number">{old ? line.before : (line.after ?? line.before)}</td>
      <td class={line.kind}>
        <span class="sign">{SIGNS[line.kind]}</span>
        {visible(line.text)}
      </td>
    </>
  );
}

interface Props {
  change: Change;
  wide: boolean;
  lines?: number;
  maxLine?: number | undefined;
}

/** Shows a patch, side by side if there is room and both sides have something. */
export function Diff({ change, wide, lines = FIRST, maxLine = MAX_LINE }: Props) {
  const [width, setWidth] = useState(maxLine);
  const [limit, setLimit] = useState(lines);
  const { lines: shown, more, long } = useMemo(() => firstLines(change.patch, limit, width), [change.patch, limit, width]);
  const parsed = useMemo(() => diffLines(shown), [shown]);
  const paired = wide && change.added > 0 && change.removed > 0;
  return (
    <div class="diff">
      <div class="scroller" tabIndex={0} role="group" aria-label={`Changes of ${change.path}`}>
        <table class={paired ? "paired" : ""}>
          {paired && <colgroup><col class="number" /><col /><col class="number" /><col /></colgroup>}
          <tbody>
            {paired
              ? diffPairs(parsed).map(({ left, right }, i) =>
                  left?.kind === "hunk" ? (
                    <tr key={i}>
                      <td class="hunk" colSpan={4}>
                        {visible(left.text)}
                      </td>
                    </tr>
                  ) : (
                    <tr key={i}>
                      <Cells line={left} old />
                      <Cells line={right} />
                    </tr>
                  ),
                )
              : parsed.map((line, i) => (
                  <tr key={i}>
                    {line.kind === "hunk" ? (
                      <td class="hunk" colSpan={2}>
                        {visible(line.text)}
                      </td>
                    ) : (
                      <Cells line={line} />
                    )}
                  </tr>
                ))}
          </tbody>
        </table>
      </div>
      {long && <button type="button" class="quiet" onClick={() => setWidth(Infinity)}>Show long lines whole</button>}
      {more && (
        <button type="button" class="quiet" onClick={() => setLimit(limit * 5)}>
          Show more lines
        </button>
      )}
    </div>
  );
}

export function Counts({ change }: { change: { added: number; removed: number } }) {
  return (
    <span class="counts">
      {change.added > 0 && <span class="plus">+{change.added}</span>}
      {change.removed > 0 && <span class="minus">−{change.removed}</span>}
    </span>
  );
}
