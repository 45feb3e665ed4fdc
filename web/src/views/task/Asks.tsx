// What the agent waits for: approvals with the whole command or diff beside the
// buttons, questions as forms.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { respond, wholeEvent } from "../../api/calls";
import { ApiError } from "../../api/client";
import type { Answered, Approval, Event, Question, Respond, Task } from "../../api/types";
import { useDraft } from "../../lib/draft";
import { focusView } from "../../lib/focus";
import { words } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { visible } from "../../lib/visible";
import { mayBeCut, subjectOf } from "../../store/subject";
import { Boundary } from "../../ui/Boundary";
import { Output } from "../../ui/Output";
import { toast } from "../../ui/parts";
import type { TaskSession } from "../../store/session";
import { ChangeList } from "../rows/ChangeList";
import { Rows } from "../rows/context";

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
    toast(visible(won ? tell(won) : (error as Error).message), true);
    return !!won;
  }
}

/** Names what was asked; ids of harnesses may be used again. */
const askKey = ({ id, eventId }: { id: string; eventId?: string }) => `${id}@${eventId ?? ""}`;

const isText = (value: unknown) => typeof value === "string";

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

type Loaded = { whole?: Approval; error?: string };

/** What is asked for, whole: the task has only the beginning of long texts. */
function useWhole(task: Task, approval: Approval): Loaded & { retry: () => void } {
  const isCut = mayBeCut(task, approval);
  const [loaded, setLoaded] = useState<Loaded>({});
  const [tries, setTries] = useState(0);
  useEffect(() => {
    if (!isCut) return;
    let isLeft = false;
    setLoaded({});
    const take = ({ cut, approval: whole }: Event) =>
      isLeft || setLoaded(whole && !cut?.length ? { whole } : { error: "the server does not have it whole" });
    void wholeEvent(task.id, approval.eventId ?? "")
      .then(take)
      .catch((error: Error) => isLeft || setLoaded({ error: error.message }));
    return () => void (isLeft = true);
  }, [task.id, approval.id, approval.eventId, isCut, tries]);
  return { ...(isCut ? loaded : { whole: approval }), retry: () => setTries(tries + 1) };
}

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

/** How long something has to be seen before a key answers it. */
const SEEN = 1_000;

/** Whether what the key names has been shown long enough. */
function useSeen(key: string): () => boolean {
  const shown = useRef({ key: "", since: 0 });
  if (shown.current.key !== key) shown.current = { key, since: performance.now() };
  return () => performance.now() - shown.current.since >= SEEN;
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

interface FormProps {
  task: Task;
  /** Tells that an answer is sent, and so that the form will go. */
  onSend: (key: string) => void;
}

type ApprovalProps = FormProps & {
  approval: Approval;
  /** Whether keys answer this one, */
  first: boolean;
  /** but only with the focus in its column. */
  inColumn: boolean;
};

function ApprovalForm({ task, approval, first, inColumn, onSend }: ApprovalProps) {
  const name = `${task.id}.${askKey(approval)}`;
  const [reason, setReason] = useDraft<string>(`${name}.reason`, "", { fits: isText });
  const [denying, setDenying] = useDraft<string>(`${name}.denying`, "", { fits: isText });
  const [always, setAlways] = useState(false);
  const [busy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const form = useRef<HTMLElement>(null);
  const { whole, error, retry } = useWhole(task, approval);
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
  const seen = useSeen(first ? JSON.stringify([askKey(approval), whole?.command, whole?.diff, whole?.input]) : "");
  const onKey = (run: () => void) => (event: KeyboardEvent) => {
    if (!event.repeat && seen()) run();
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
      ) : error ? (
        <p role="alert">
          What is asked for can't be loaded: {visible(error)} <button type="button" onClick={retry}>Try again</button>
        </p>
      ) : (
        <p class="muted" role="status">What is asked for is long and is being loaded. It can be allowed once it is shown.</p>
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
            <button type="button" disabled={busy} onClick={() => void send({ allow: true, always: rule })}>
              <code>{visible(rule)}</code>
            </button>
          ))}
          <button type="button" class="quiet" onClick={() => setAlways(false)}>Back</button>
        </div>
      ) : (
        <div class="choices">
          {approval.choices.filter((choice) => whole || isDenial(choice)).map((choice) => (
            <button type="button" data-part={choice} disabled={busy} class={isDenial(choice) ? "danger" : choice === allow ? "primary" : ""}
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

type TypedProps = { secret: boolean; value: string; placeholder: string; label: string; onType: (value: string) => void };

/** An answer in one's own words, hidden if the agent asks for a secret. */
function Typed({ secret, value, placeholder, label, onType }: TypedProps) {
  const field = { value, placeholder, "aria-label": label, onInput: (event: { currentTarget: HTMLInputElement }) => onType(event.currentTarget.value) };
  return secret ? <input type="password" autocomplete="off" {...field} /> : <input {...field} />;
}

function QuestionForm({ task, question, onSend }: FormProps & { question: Question }) {
  const name = `${task.id}.${askKey(question)}`;
  const { items } = question;
  const nothing = useMemo(() => ({ picked: items.map((): string[] => []), typed: items.map(() => "") }), [items.length]);
  const [picked, setPicked] = useDraft<string[][]>(`${name}.picked`, nothing.picked, {
    fits: (lists) => lists.length === items.length && lists.every((list) => list.every(isText)),
  });
  const [typed, setTyped] = useDraft<string[]>(`${name}.typed`, nothing.typed, {
    fits: (texts) => texts.length === items.length && texts.every(isText),
    kept: (texts) => texts.map((text, i) => (items[i]?.secret ? "" : text)),
  });
  const [busy, setBusy] = useState(false);
  if (question.delivery !== "unanswered") return <p class="answered">Answered; the agent is told.</p>;
  const set = <T,>(list: T[], at: number, value: T) => list.map((old, i) => (i === at ? value : old));
  const answers = question.items.map((_, i) => [...(picked[i] ?? []), ...(typed[i]?.trim() ? [typed[i].trim()] : [])]);
  const submit = async () => {
    setBusy(true);
    onSend(askKey(question));
    const done = await answer(task, { id: question.id, question: { items: answers.map((list) => ({ answers: list })) } });
    if (!done) return setBusy(false);
    setPicked(nothing.picked);
    setTyped(nothing.typed);
  };
  return (
    <form class="ask" tabIndex={-1} aria-label={`${task.harness} asks a question`} onSubmit={(event) => (event.preventDefault(), void submit())}>
      {question.items.map((item, i) => (
        <fieldset>
          <legend>
            {item.header && <span class="tag">{visible(item.header)}</span>} {visible(item.text)}
          </legend>
          {item.options.map((option, n) => (
            <label class="option">
              <input type={item.multiSelect ? "checkbox" : "radio"} name={`${question.id} ${i}`}
                checked={!!picked[i]?.includes(option)}
                onChange={(event) => {
                  const on = event.currentTarget.checked;
                  const others = item.multiSelect ? (picked[i] ?? []).filter((other) => other !== option) : [];
                  setPicked(set(picked, i, on ? [...others, option] : others));
                  if (!item.multiSelect) setTyped(set(typed, i, ""));
                }} />
              <span>
                {visible(option)}
                {item.descriptions[n] && <small>{visible(item.descriptions[n]!)}</small>}
              </span>
            </label>
          ))}
          <Typed secret={item.secret} value={typed[i] ?? ""} placeholder={item.options.length ? "Something else" : "Your answer"}
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
  const open = [...approvals, ...questions].filter(({ delivery }) => delivery === "unanswered");
  const { panel, onSend } = useNextFocus(open.map(askKey));
  if (!approvals.length && !questions.length) return null;
  const first = approvals.find(({ delivery }) => delivery === "unanswered");
  return (
    <Rows.Provider value={context}>
    <section class="asks-panel" ref={panel} aria-label="Waits for you" aria-live="polite">
      {approvals.map((approval) => (
        <Boundary key={askKey(approval)} value={approval} revision={approval.delivery}>
          <ApprovalForm task={task} approval={approval} first={approval === first} inColumn={inColumn} onSend={onSend} />
        </Boundary>
      ))}
      {questions.map((question) => (
        <Boundary key={askKey(question)} value={question} revision={question.delivery}>
          <QuestionForm task={task} question={question} onSend={onSend} />
        </Boundary>
      ))}
    </section>
    </Rows.Provider>
  );
}
