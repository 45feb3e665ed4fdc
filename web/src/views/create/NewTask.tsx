import { useEffect, useRef, useState } from "preact/hooks";
import { createTask, listFolders } from "../../api/calls";
import type { CreateTask, EditMode, Harness, LaunchOptions } from "../../api/types";
import { useDraft } from "../../lib/draft";
import { words } from "../../lib/format";
import { accepted, requestKey } from "../../lib/request_key";
import { go, taskPath } from "../../lib/router";
import { load, save } from "../../lib/storage";
import { harnesses, readHarnesses } from "../../store/harnesses";
import { PicturePicker, Pictures, usePictures } from "../../ui/images";
import { attempt, HarnessMark } from "../../ui/parts";
import { MODE_ORDER, MODES } from "./modes";
import { EMPTY_OPTIONS, type NativeOptions, OptionFields, optionsOf } from "./OptionFields";

interface Draft {
  chosen: string[];
  prompt: string;
  /** Unset until it is chosen: the folder of the last task. */
  cwd?: string;
  model: string;
  mode: EditMode;
}

const EMPTY: Draft = { chosen: [], prompt: "", model: "", mode: "research" };

const isReady = (harness: Harness) => harness.path !== "" || harness.id === "demo";

/** The harness to begin with: one that can work at once, if there is one. */
export function firstHarness(ready: Harness[]): string[] {
  const first = ready.find(({ loggedIn, hint }) => loggedIn !== false && !hint) ?? ready.find(({ loggedIn }) => loggedIn !== false) ?? ready[0];
  return first ? [first.id] : [];
}

function HarnessPicker({ list, chosen, onChange }: { list: Harness[]; chosen: string[]; onChange: (ids: string[]) => void }) {
  return (
    <fieldset class="harness-picker">
      <legend>Harness <span class="muted">several get the same prompt, side by side</span></legend>
      {list.map((harness) => {
        const ready = isReady(harness);
        const on = chosen.includes(harness.id);
        return (
          <label class={`harness-card${on ? " chosen" : ""}${ready ? "" : " missing"}`}>
            <input type="checkbox" checked={on} disabled={!ready}
              onChange={() => onChange(on ? chosen.filter((id) => id !== harness.id) : [...chosen, harness.id])} />
            <span>
              <HarnessMark id={harness.id} />
              <small>{ready ? harness.version || "ready" : "not installed"}{harness.loggedIn === false && ", not logged in"}</small>
              {harness.hint && <small class="hint">{harness.hint}</small>}
              {harness.sandboxError && <small class="hint">{harness.sandboxError}</small>}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

function ModePicker({ list, mode, onChange }: { list: Harness[]; mode: EditMode; onChange: (mode: EditMode) => void }) {
  const offered = MODE_ORDER.filter((name) => list.every((harness) => !harness.editModes.length || harness.editModes.includes(name)));
  return (
    <fieldset class="mode-picker">
      <legend>What it may do</legend>
      {offered.map((name) => (
        <label class={`option${name === "dangerous" ? " dangerous" : ""}`}>
          <input type="radio" name="edit_mode" checked={mode === name} onChange={() => onChange(name)} />
          <span>{words(name)}<small>{MODES[name]}</small></span>
        </label>
      ))}
    </fieldset>
  );
}

function loadDraft(): Draft {
  const { cwd, ...rest } = load("draft.new", EMPTY);
  return { ...EMPTY, ...rest, ...(cwd ? { cwd } : {}) };
}

export function NewTask() {
  const [draft, setDraft] = useState(loadDraft);
  const [options, setOptions] = useDraft<NativeOptions>("new.options", EMPTY_OPTIONS);
  const [folders, setFolders] = useState<string[]>([]);
  const [busy, setBusy] = useState(false);
  const images = usePictures("new.pictures");
  const prompt = useRef<HTMLTextAreaElement>(null);
  const set = (part: Partial<Draft>) => {
    const next = { ...draft, ...part };
    setDraft(next);
    save("draft.new", next);
  };
  useEffect(() => {
    prompt.current?.focus();
    void attempt(readHarnesses(true));
    void listFolders().then((reply) => setFolders(reply.folders.map(({ path }) => path))).catch(() => {});
  }, []);
  const ready = harnesses.value.filter(isReady);
  const chosen = draft.chosen.filter((id) => ready.some((harness) => harness.id === id));
  const used = chosen.length ? chosen : firstHarness(ready);
  const picked = harnesses.value.filter(({ id }) => used.includes(id));
  const cwd = draft.cwd ?? folders[0] ?? "";
  const models = [...new Set(picked.flatMap((harness) => harness.models))];

  const missing = !draft.prompt.trim() ? "a prompt" : !used.length ? "a harness" : !cwd ? "a folder" : "";

  const start = async () => {
    if (busy || missing) return;
    setBusy(true);
    const launch: LaunchOptions = {
      editMode: draft.mode,
      ...(draft.model && used.length === 1 ? { model: draft.model } : {}),
      ...(images.paths.length ? { images: images.paths } : {}),
      ...optionsOf(options),
    };
    const made: string[] = [];
    for (const harness of used) {
      const request: CreateTask = { harness, prompt: draft.prompt, cwd, options: launch };
      const task = await attempt(createTask({ ...request, idempotencyKey: requestKey(`new.${harness}`, request) }));
      if (!task) continue;
      accepted(`new.${harness}`);
      made.push(task.id);
    }
    setBusy(false);
    if (!made.length) return;
    set({ prompt: "", cwd });
    setOptions(EMPTY_OPTIONS);
    images.clear();
    go(made.length === 1 ? taskPath(made[0]!) : `/compare?tasks=${made.join(",")}`);
  };

  return (
    <main class="page new-task" aria-label="New task">
      <form {...images.handlers} onSubmit={(event) => (event.preventDefault(), void start())}
        onKeyDown={(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && (event.preventDefault(), void start())}>
        <h1>New task</h1>
        <label class="prompt">
          Prompt
          <textarea ref={prompt} rows={6} value={draft.prompt} required placeholder="What is to be done? Paste or drop images here."
            onInput={(event) => set({ prompt: event.currentTarget.value })} />
        </label>
        <div class="under-prompt">
          <PicturePicker add={images.add} />
          <Pictures pictures={images.pictures} remove={images.remove} />
        </div>
        <HarnessPicker list={harnesses.value} chosen={used} onChange={(ids) => set({ chosen: ids })} />
        <div class="columns">
          <label>
            Folder
            {/* A default that comes while somebody types would get into what is typed. */}
            <input list="folders" value={cwd} required placeholder="/home/you/project" spellcheck={false} autocapitalize="off"
              onFocus={() => draft.cwd === undefined && set({ cwd })}
              onInput={(event) => set({ cwd: event.currentTarget.value })} />
            <datalist id="folders">{folders.map((path) => <option value={path} />)}</datalist>
          </label>
          <label>
            Model
            <input list="models" value={used.length > 1 ? "" : draft.model} disabled={used.length > 1} spellcheck={false} autocapitalize="off"
              placeholder={used.length > 1 ? "each harness's default" : "the harness's default"}
              onInput={(event) => set({ model: event.currentTarget.value })} />
            <datalist id="models">{models.map((model) => <option value={model} />)}</datalist>
          </label>
        </div>
        <ModePicker list={picked} mode={draft.mode} onChange={(mode) => set({ mode })} />
        <OptionFields options={options} onChange={setOptions} />
        <div class="start">
          <button type="submit" class="primary" disabled={busy || !!missing}>
            {used.length > 1 ? `Start ${used.length} tasks` : "Start"}
          </button>
          {missing ? <span class="missing" role="status">Needs {missing}</span> : <span class="muted">Ctrl+Enter</span>}
        </div>
      </form>
    </main>
  );
}
