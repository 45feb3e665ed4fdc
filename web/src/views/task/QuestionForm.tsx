// Questions of an agent as a form.
import { useMemo, useState } from "preact/hooks";
import type { Question } from "../../api/types";
import { useDraft } from "../../lib/draft";
import { visible } from "../../lib/visible";
import { answer, askKey, type FormProps, isText, NotWhole, useSeen, useWhole } from "./asking";

type TypedProps = { secret: boolean; value: string; placeholder: string; label: string; onType: (value: string) => void };

/** An answer in one's own words, hidden if the agent asks for a secret. */
function Typed({ secret, value, placeholder, label, onType }: TypedProps) {
  const field = { value, placeholder, "aria-label": label, onInput: (event: { currentTarget: HTMLInputElement }) => onType(event.currentTarget.value) };
  return secret ? <input type="password" autocomplete="off" {...field} /> : <input {...field} />;
}

type QuestionProps = FormProps & { question: Question };

/** The questions, all of them whole, and what is answered. */
function Items({ task, question, above, onSend }: QuestionProps) {
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
  const seen = useSeen(JSON.stringify([above, askKey(question)]));
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
        <button type="submit" class="primary" disabled={busy || !seen || answers.some((list) => !list.length)}>Answer</button>
      </div>
    </form>
  );
}

export function QuestionForm(props: QuestionProps) {
  const { task, question } = props;
  const { whole, error, retry } = useWhole(task, question, (event) => event.question);
  if (question.delivery !== "unanswered") return <p class="answered">Answered; the agent is told.</p>;
  if (whole) return <Items {...props} question={{ ...question, items: whole.items }} />;
  return (
    <section class="ask" tabIndex={-1} aria-label={`${task.harness} asks a question`}>
      <NotWhole error={error} retry={retry} />
    </section>
  );
}
