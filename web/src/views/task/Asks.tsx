// What the agent waits for: approvals with the whole command or diff beside the
// buttons, questions as forms.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { respond, wholeEvent } from "../../api/calls";
import { ApiError } from "../../api/client";
import type { Answered, Approval, Question, Respond, Task } from "../../api/types";
import { useDraft } from "../../lib/draft";
import { words } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { visible } from "../../lib/visible";
import { changesOfDiff, changesOfTool } from "../../store/changes";
import type { ToolRow } from "../../store/rows";
import { Output } from "../../ui/Output";
import { toast } from "../../ui/parts";
import type { TaskSession } from "../../store/session";
import { ChangeList } from "../rows/ChangeList";
import { Rows } from "../rows/context";
import { commandOf } from "../rows/describe";

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

function tell(won: Answered): string {
  const by = won.by === "user" ? "you" : won.by;
  return `Answered already by ${by}${won.via && ` (${won.via})`}: ${words(won.choice)}${won.text && `, ${won.text}`}. That answer counts.`;
}

/** Sends an answer; says who won if somebody else was first. */
async function answer(task: Task, request: Respond): Promise<boolean> {
  try {
    await respond(task.id, request);
    return true;
  } catch (error) {
    const won = error instanceof ApiError ? error.answered : undefined;
    toast(won ? tell(won) : (error as Error).message, true);
    return !!won;
  }
}

const KINDS: Record<Approval["kind"], string> = {
  tool: "use a tool",
  command_line: "run a command",
  edit: "change files",
  permission: "have more rights",
  plan: "begin with its plan",
  budget: "go on with as much again",
};

/** A row with what was asked for, as changesOfTool takes it. */
function changesAsked(approval: Approval) {
  if (approval.diff) return changesOfDiff(approval.diff);
  return changesOfTool({ name: approval.toolName, server: "", input: approval.input } as ToolRow);
}

function Subject({ task, approval }: { task: Task; approval: Approval }) {
  const changes = changesAsked(approval);
  const command = approval.command || commandOf(approval.input);
  const input = approval.input === undefined || approval.input === null ? "" : JSON.stringify(approval.input, null, 2);
  const whole = async () => {
    const asked = (await wholeEvent(task.id, approval.eventId ?? "")).approval;
    return asked?.command || asked?.diff || JSON.stringify(asked?.input, null, 2);
  };
  const long = (command || approval.diff || input).length >= 32_000;
  return (
    <div class="ask-subject">
      {approval.cwd && approval.cwd !== task.cwd && <p class="muted">in <code>{visible(approval.cwd)}</code></p>}
      {changes.length > 0 && <ChangeList id={approval.id} changes={changes} open />}
      {command && <Output text={command} label="Command" lines={60} loadWhole={long ? whole : undefined} />}
      {!changes.length && !command && input && (
        <Output text={input} label="Input" lines={40} loadWhole={long ? whole : undefined} />
      )}
    </div>
  );
}

function ApprovalForm({ task, approval, first }: { task: Task; approval: Approval; first: boolean }) {
  const [reason, setReason] = useDraft(`${task.id}.${approval.id}.reason`, "");
  const [denying, setDenying] = useDraft(`${task.id}.${approval.id}.denying`, "");
  const [always, setAlways] = useState(false);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const send = async (request: Respond["approval"]) => {
    setBusy(true);
    const done = await answer(task, { id: approval.id, approval: request });
    if (!done) setBusy(false);
  };
  const choose = (choice: string, why = "") =>
    send({ choice, allow: !isDenial(choice), ...(why ? { reason: why } : {}) });
  const deny = approval.choices.find((choice) => choice === "deny") ?? approval.choices.find(isDenial) ?? "deny";
  const allow = approval.choices.find((choice) => !isDenial(choice)) ?? "approve";
  useEffect(() => {
    if (denying) field.current?.focus();
  }, [denying]);
  useKeys(first && !busy
    ? [
        { key: "a", does: "allow what is asked", run: () => void choose(allow) },
        { key: "d", does: "deny, with a reason", run: () => setDenying(deny) },
      ]
    : []);
  if (approval.delivery !== "unanswered") {
    return <p class="answered">{words(approval.choice || "answered")}; the agent is told.</p>;
  }
  return (
    <section class="ask" aria-label={`${task.harness} asks to ${KINDS[approval.kind]}`}>
      <h2>
        Asks to {KINDS[approval.kind]}
        {approval.toolName && <span class="tag">{visible(approval.toolName)}</span>}
      </h2>
      {approval.reason && <p>{visible(approval.reason)}</p>}
      {approval.explanation && <p class="muted">Rules leave it to you: {visible(approval.explanation)}</p>}
      <Subject task={task} approval={approval} />
      {denying ? (
        <form class="deny" onSubmit={(event) => (event.preventDefault(), void choose(denying, reason))}>
          <input ref={field} value={reason} placeholder="Why not? The agent is told" aria-label="Reason of the denial"
            onInput={(event) => setReason(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Escape" && (event.stopPropagation(), setDenying(""))} />
          <button type="submit" class="danger" disabled={busy}>{choiceName(denying)}</button>
          <button type="button" class="quiet" onClick={() => setDenying("")}>Back</button>
        </form>
      ) : always ? (
        <div class="always" role="group" aria-label="The rule to add">
          <p>This allows it from now on, without asking, for every agent. The narrowest rule comes first:</p>
          {approval.proposedRules.map((rule) => (
            <button type="button" disabled={busy} onClick={() => void send({ allow: true, always: rule })}>
              <code>{visible(rule)}</code>
            </button>
          ))}
          <button type="button" class="quiet" onClick={() => setAlways(false)}>Back</button>
        </div>
      ) : (
        <div class="choices">
          {approval.choices.map((choice) => (
            <button type="button" disabled={busy} class={isDenial(choice) ? "danger" : choice === allow ? "primary" : ""}
              onClick={() => (isDenial(choice) ? setDenying(choice) : void choose(choice))}>
              {choiceName(choice)}
            </button>
          ))}
          {approval.proposedRules.length > 0 && (
            <button type="button" disabled={busy} onClick={() => setAlways(true)}>Always…</button>
          )}
        </div>
      )}
    </section>
  );
}

type TypedProps = { secret: boolean; value: string; placeholder: string; label: string; onType: (value: string) => void };

/** An answer in one's own words, hidden if the agent asks for a secret. */
function Typed({ secret, value, placeholder, label, onType }: TypedProps) {
  const field = { value, placeholder, "aria-label": label, onInput: (event: { currentTarget: HTMLInputElement }) => onType(event.currentTarget.value) };
  return secret ? <input type="password" autocomplete="off" {...field} /> : <input {...field} />;
}

function QuestionForm({ task, question }: { task: Task; question: Question }) {
  const [picked, setPicked] = useDraft<string[][]>(`${task.id}.${question.id}.picked`, question.items.map(() => []));
  const [typed, setTyped] = useDraft<string[]>(`${task.id}.${question.id}.typed`, question.items.map(() => ""));
  const [busy, setBusy] = useState(false);
  if (question.delivery !== "unanswered") return <p class="answered">Answered; the agent is told.</p>;
  const set = <T,>(list: T[], at: number, value: T) => list.map((old, i) => (i === at ? value : old));
  const answers = question.items.map((_, i) => [...picked[i]!, ...(typed[i]!.trim() ? [typed[i]!.trim()] : [])]);
  const submit = async () => {
    setBusy(true);
    const done = await answer(task, { id: question.id, question: { items: answers.map((list) => ({ answers: list })) } });
    if (!done) setBusy(false);
  };
  return (
    <form class="ask" aria-label={`${task.harness} asks a question`} onSubmit={(event) => (event.preventDefault(), void submit())}>
      {question.items.map((item, i) => (
        <fieldset>
          <legend>
            {item.header && <span class="tag">{visible(item.header)}</span>} {visible(item.text)}
          </legend>
          {item.options.map((option, n) => (
            <label class="option">
              <input type={item.multiSelect ? "checkbox" : "radio"} name={`${question.id} ${i}`}
                checked={picked[i]!.includes(option)}
                onChange={(event) => {
                  const on = event.currentTarget.checked;
                  const others = item.multiSelect ? picked[i]!.filter((other) => other !== option) : [];
                  setPicked(set(picked, i, on ? [...others, option] : others));
                  if (!item.multiSelect) setTyped(set(typed, i, ""));
                }} />
              <span>
                {visible(option)}
                {item.descriptions[n] && <small>{visible(item.descriptions[n]!)}</small>}
              </span>
            </label>
          ))}
          <Typed secret={item.secret} value={typed[i]!} placeholder={item.options.length ? "Something else" : "Your answer"}
            label={item.options.length ? `Another answer to: ${item.text}` : item.text}
            onType={(value) => {
              setTyped(set(typed, i, value));
              // One answer only: the last one that was given.
              if (!item.multiSelect) setPicked(set(picked, i, []));
            }} />
        </fieldset>
      ))}
      <div class="choices">
        <button type="submit" class="primary" disabled={busy || answers.some((list) => !list.length)}>Answer</button>
      </div>
    </form>
  );
}

export function Asks({ task, session }: { task: Task; session: TaskSession }) {
  const context = useMemo(() => ({ session, wide: innerWidth > 1_100 }), [session]);
  if (!task.approvals.length && !task.questions.length) return null;
  return (
    <Rows.Provider value={context}>
    <section class="asks-panel" aria-label="Waits for you" aria-live="polite">
      {task.approvals.map((approval, i) => (
        <ApprovalForm key={approval.id} task={task} approval={approval} first={i === 0} />
      ))}
      {task.questions.map((question) => <QuestionForm key={question.id} task={task} question={question} />)}
    </section>
    </Rows.Provider>
  );
}
