import { wholeEvent } from "../../api/calls";
import { milliseconds, relativePath, span, totalCost, usageText } from "../../lib/format";
import { visible } from "../../lib/visible";
import { changesOfTool } from "../../store/changes";
import type { ToolRow } from "../../store/rows";
import { Icon } from "../../ui/icons";
import { Output } from "../../ui/Output";
import { Answered } from "../task/Answered";
import { ChangeList } from "./ChangeList";
import { useFold, useRows } from "./context";
import { commandOf, iconOf, questionsOf, summaryOf } from "./describe";
import { RowActions } from "./RowActions";
import { RowView } from "./RowView";

interface Drawn {
  tool: ToolRow;
  revision: number;
}

/** How a tool ended; nothing if it went well. */
function Outcome({ tool }: Drawn) {
  const { result } = tool;
  if (!result) {
    if (tool.approval?.delivery === "unanswered" || tool.question?.delivery === "unanswered") {
      return <span class="tag asks">waits for you</span>;
    }
    return <span class="tag busy">running</span>;
  }
  return (
    <>
      {result.denied && <span class="tag bad">denied</span>}
      {result.exitCode !== undefined && (
        <span class={`tag ${result.exitCode ? "bad" : "good"}`}>exit {result.exitCode}</span>
      )}
      {result.isError && !result.exitCode && !result.denied && <span class="tag bad">failed</span>}
      {result.synthetic && <span class="tag doubt" title="The harness sent no result; Troika made this one">made by Troika</span>}
    </>
  );
}

function duration(tool: ToolRow): string {
  const told = milliseconds(tool.result?.duration);
  if (told) return span(told);
  if (!tool.time || !tool.endTime) return "";
  const ms = Date.parse(tool.endTime) - Date.parse(tool.time);
  return ms >= 100 ? span(ms) : "";
}

/** Failures, and what was asked about, stay open. */
function startsOpen(tool: ToolRow): boolean {
  const { result } = tool;
  if (!result) return tool.name !== "Agent";
  return result.isError || result.synthetic || !!result.exitCode || !!tool.approval || !!tool.question ||
    ["Edit", "Write"].includes(tool.name);
}

function Body({ tool }: Drawn) {
  const { session } = useRows();
  const changes = changesOfTool(tool);
  // Tools of servers may call anything a command.
  const command = tool.server ? "" : commandOf(tool.input);
  const whole = (event: string, pick: "input" | "output") => async () => {
    const { toolUse, toolResult } = await wholeEvent(session.id, event);
    if (pick === "output") return toolResult?.output ?? "";
    const input = toolUse?.input;
    return (!tool.server && commandOf(input)) || JSON.stringify(input, null, 2);
  };
  const isQuestion = !!tool.question || questionsOf(tool).length > 0;
  const rest = isQuestion || tool.input === undefined || tool.input === null ? "" : JSON.stringify(tool.input, null, 2);
  return (
    <div class="tool-body">
      {changes.length > 0 ? (
        <ChangeList id={tool.key} changes={changes} open={changes.length <= 3} />
      ) : command ? (
        command.includes("\n") || command.length > 120 || tool.inputCut ? (
          <Output text={command} literal label="Command" loadWhole={tool.inputCut ? whole(tool.event, "input") : undefined} />
        ) : null
      ) : (
        rest && rest !== "{}" && !["Read", "Agent"].includes(tool.name) && (
          <Output text={rest} literal label="Input" lines={8} loadWhole={tool.inputCut ? whole(tool.event, "input") : undefined} />
        )
      )}
      <Answered approval={tool.approval?.state === "asked" ? undefined : tool.approval} question={tool.question} />
      {tool.children.length > 0 && (
        <div class="subagent" role="group" aria-label="Subagent">
          {tool.children.map((row) => <RowView key={row.key} row={row} revision={row.revision} />)}
        </div>
      )}
      {!(changes.length > 0 && tool.result && !tool.result.isError && !tool.resultCut) && (
        <Output text={tool.output} label="Output" lines={tool.result?.isError ? 40 : 12}
          loadWhole={tool.resultCut && tool.resultEvent ? whole(tool.resultEvent, "output") : undefined} />
      )}
    </div>
  );
}

export function ToolCard({ tool, revision }: Drawn) {
  const { session } = useRows();
  const [open, toggle] = useFold(tool.key, startsOpen(tool));
  const summary = tool.subagent?.description || relativePath(summaryOf(tool), session.task.value?.cwd);
  const name = tool.server ? `${tool.server} · ${tool.name}` : tool.name;
  const bad = tool.result?.isError || !!tool.result?.exitCode;
  const cost = tool.usage && [usageText(tool.usage.total ?? tool.usage.turn), totalCost(tool.usage)].filter(Boolean).join(" · ");
  return (
    <article class={`tool${bad ? " tool-bad" : ""}${tool.result ? "" : " tool-busy"}`} aria-label={`Tool ${name}`}>
      <header>
        <button type="button" class="fold" aria-expanded={open} onClick={toggle}>
          <Icon name={iconOf(tool)} />
          <span class="tool-name" title={tool.nativeName}>{visible(name)}</span>
          <code class="tool-summary">{visible(summary)}</code>
          {tool.orphan && <span class="tag">began earlier</span>}
          <Outcome tool={tool} revision={revision} />
          {cost && <span class="muted">{cost}</span>}
          <span class="muted">{duration(tool)}</span>
        </button>
        <RowActions row={tool} text={commandOf(tool.input) || tool.output} />
      </header>
      {open && <Body tool={tool} revision={revision} />}
    </article>
  );
}
