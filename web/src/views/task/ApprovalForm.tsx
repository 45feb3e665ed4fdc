// An approval, with the whole command or diff beside the buttons.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Approval, Respond, Task } from "../../api/types";
import { useDraft } from "../../lib/draft";
import { words } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { visible } from "../../lib/visible";
import { subjectOf } from "../../store/subject";
import { Output } from "../../ui/Output";
import { ChangeList } from "../rows/ChangeList";
import { answer, askKey, type FormProps, isText, NotWhole, useSeen, useWhole } from "./asking";

const CHOICES: Record<string, string> = {
  approve: "Allow",
  approve_for_session: "Allow for this session",
  deny: "Deny",
  cancel: "Deny and end the turn",
};

function choiceName(choice: string): string {
  const name = CHOICES[choice] ?? words(choice);
  return name.charAt(0).toUpperCase() + name.slice(1);
}

const isDenial = (choice: string) => choice === "deny" || choice === "cancel" || choice.startsWith("deny");

const KINDS: Record<Approval["kind"], string> = {
  tool: "use a tool",
  command_line: "run a command",
  edit: "change files",
  permission: "have more rights",
  plan: "begin with its plan",
  budget: "go on with as much again",
};

/** Lines of an approval are shown up to this length; a button shows the rest. */
const MAX_LINE = 100_000;

function SubjectView({ task, approval }: { task: Task; approval: Approval }) {
  const { changes, command, diff, description, input, paths } = useMemo(() => subjectOf(approval), [approval]);
  const text = input === undefined ? "" : JSON.stringify(input, null, 2);
  return (
    <div class="ask-subject">
      {approval.cwd && approval.cwd !== task.cwd && <p class="muted">in <code>{visible(approval.cwd)}</code></p>}
      {description && <p><small class="muted">{visible(description)}</small></p>}
      {changes.length > 0 && <ChangeList id={approval.id} changes={changes} open maxLine={MAX_LINE} />}
      {diff && <Output text={diff} label="Diff" lines={60} maxLine={MAX_LINE} literal />}
      {command && <Output text={command} label="Command" lines={60} maxLine={MAX_LINE} literal />}
      {text && <Output text={text} label="Input" lines={40} maxLine={MAX_LINE} literal />}
      {paths.length > 0 && <Output text={paths.join("\n")} label="Files" lines={40} maxLine={MAX_LINE} literal />}
    </div>
  );
}

/** Puts the focus back to the button that opened a part of the form which is now closed. */
function useReturn(form: { current: HTMLElement | null }, part: string): void {
  const before = useRef("");
  useEffect(() => {
    const buttons = [...(form.current?.querySelectorAll<HTMLElement>("[data-part]") ?? [])];
    if (!part) buttons.find(({ dataset }) => dataset.part === before.current)?.focus();
    before.current = part;
  }, [part]);
}

type ApprovalProps = FormProps & {
  approval: Approval;
  /** Whether keys answer this one, */
  first: boolean;
  /** but only with the focus in its column. */
  inColumn: boolean;
};

export function ApprovalForm({ task, approval, above, first, inColumn, onSend }: ApprovalProps) {
  const name = `${task.id}.${askKey(approval)}`;
  const [reason, setReason] = useDraft<string>(`${name}.reason`, "", { fits: isText });
  const [denying, setDenying] = useDraft<string>(`${name}.denying`, "", { fits: isText });
  const [always, setAlways] = useState(false);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLElement>(null);
  const { whole, error, retry } = useWhole(task, approval, (event) => event.approval);
  const send = async (request: Respond["approval"]) => {
    setBusy(true);
    onSend(askKey(approval));
    const done = await answer(task, { id: approval.id, approval: request });
    if (!done) return setBusy(false);
    setReason("");
    setDenying("");
  };
  const choose = (choice: string, why = "") =>
    send({ choice, allow: !isDenial(choice), ...(why ? { reason: why } : {}) });
  const deny = approval.choices.find((choice) => choice === "deny") ?? approval.choices.find(isDenial) ?? "deny";
  const allow = approval.choices.find((choice) => !isDenial(choice)) ?? "approve";
  useEffect(() => {
    if (denying) field.current?.focus();
  }, [denying]);
  useReturn(form, denying || (always ? "always" : ""));
  const seen = useSeen(JSON.stringify([above, askKey(approval), !!whole, always]));
  const onKey = (run: () => void) => (event: KeyboardEvent) => {
    if (!event.repeat && seen) run();
  };
  const within = () => form.current?.closest(".column");
  const keys = [
    ...(whole ? [{ key: "a", does: "allow what is asked", run: onKey(() => void choose(allow)) }] : []),
    { key: "d", does: "deny, with a reason", run: onKey(() => setDenying(deny)) },
  ];
  useKeys(first && !busy ? keys.map((key) => (inColumn ? { ...key, within } : key)) : []);
  if (approval.delivery !== "unanswered") {
    return <p class="answered">{words(approval.choice || "answered")}; the agent is told.</p>;
  }
  return (
    <section class="ask" ref={form} tabIndex={-1} aria-label={`${task.harness} asks to ${KINDS[approval.kind]}`}>
      <h2>
        Asks to {KINDS[approval.kind]}
        {approval.server && <span class="tag">server {visible(approval.server)}</span>}
        {approval.toolName && <span class="tag">{visible(approval.toolName)}</span>}
      </h2>
      {approval.reason && <p>{visible(approval.reason)}</p>}
      {approval.explanation && <p class="muted">Rules leave it to you: {visible(approval.explanation)}</p>}
      {whole ? (
        <SubjectView task={task} approval={whole} />
      ) : (
        <NotWhole error={error} retry={retry} />
      )}
      {denying ? (
        <form class="deny" onSubmit={(event) => (event.preventDefault(), void choose(denying, reason))}>
          <input ref={field} value={reason} placeholder="Why not? The agent is told" aria-label="Reason of the denial"
            onInput={(event) => setReason(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Escape" && (event.stopPropagation(), setDenying(""))} />
          <button type="submit" class="danger" disabled={busy}>{choiceName(denying)}</button>
          <button type="button" class="quiet" onClick={() => setDenying("")}>Back</button>
        </form>
      ) : always && whole ? (
        <div class="always" role="group" aria-label="The rule to add">
          <p>This allows it from now on, without asking, for every agent. The narrowest rule comes first:</p>
          {approval.proposedRules.map((rule) => (
            <button type="button" disabled={busy || !seen} onClick={() => void send({ allow: true, always: rule })}>
              <code>{visible(rule)}</code>
            </button>
          ))}
          <button type="button" class="quiet" onClick={() => setAlways(false)}>Back</button>
        </div>
      ) : (
        <div class="choices">
          {approval.choices.filter((choice) => whole || isDenial(choice)).map((choice) => (
            <button type="button" data-part={choice} disabled={busy || (!seen && !isDenial(choice))} class={isDenial(choice) ? "danger" : choice === allow ? "primary" : ""}
              onClick={() => (isDenial(choice) ? setDenying(choice) : void choose(choice))}>
              {choiceName(choice)}
            </button>
          ))}
          {whole && approval.proposedRules.length > 0 && (
            <button type="button" data-part="always" disabled={busy} onClick={() => setAlways(true)}>Always…</button>
          )}
        </div>
      )}
    </section>
  );
}
