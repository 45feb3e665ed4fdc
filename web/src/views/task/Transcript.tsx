import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { listTurns, searchEvents } from "../../api/calls";
import type { Turn } from "../../api/types";
import { compareIds } from "../../api/payload";
import { rememberFocus } from "../../lib/focus";
import { firstLine } from "../../lib/format";
import { useKeys } from "../../lib/keys";
import { visible } from "../../lib/visible";
import { findEvent } from "../../store/find";
import { groupRuns, type Item } from "../../store/runs";
import type { TaskSession } from "../../store/session";
import { Icon } from "../../ui/icons";
import { attempt, toast } from "../../ui/parts";
import { VirtualList } from "../../ui/VirtualList";
import { Rows } from "../rows/context";
import { RowView, RunView } from "../rows/RowView";
import { PinnedTodo } from "./Todo";

function draw(item: Item) {
  return item.kind === "run" ? <RunView run={item} /> : <RowView row={item} revision={item.revision} />;
}

/** Moves to events, loading what is around them if needed. `items` are those of `drawn`. */
function useJump(session: TaskSession, items: readonly Item[], drawn: unknown) {
  const [target, setTarget] = useState<{ key: string; row: string; wish: number }>();
  const wanted = useRef("");
  const isLoaded = (event: string) => {
    const { first, last } = session.window;
    return !!first && compareIds(event, first) >= 0 && compareIds(event, last) <= 0;
  };
  const find = () => {
    // An effect may run when other events are loaded already and not drawn yet.
    if (session.window.transcript !== drawn || !items.length) return;
    if (!isLoaded(wanted.current)) {
      if (session.loading.value !== "all") wanted.current = "";
      return;
    }
    const found = findEvent(items, wanted.current);
    wanted.current = "";
    if (!found) return;
    const row = session.reveal(found);
    setTarget((now) => ({ key: found.item.key, row, wish: (now?.wish ?? 0) + 1 }));
  };
  useEffect(() => void (wanted.current && find()));
  const jump = (event: string) => {
    wanted.current = event;
    if (isLoaded(event)) find();
    else if (session.loading.value !== "all") void session.open(event);
  };
  return { target, jump };
}

function useTurns(session: TaskSession, turns: number): Turn[] {
  const [list, setList] = useState<Turn[]>([]);
  useEffect(() => {
    void listTurns(session.id).then((reply) => setList(reply.turns)).catch(() => {});
  }, [session, turns]);
  return list;
}

function SearchBar({ session, jump, close }: { session: TaskSession; jump: (event: string) => void; close: () => void }) {
  const [found, setFound] = useState<string[]>([]);
  const [at, setAt] = useState(0);
  const [text, setText] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const [giveBack] = useState(rememberFocus);
  // Before anything else can be typed: keys that are not typed into the field have meanings.
  useLayoutEffect(() => {
    field.current?.focus();
    return giveBack;
  }, []);
  const show = (ids: string[], index: number) => {
    setAt(index);
    if (ids[index]) jump(ids[index]);
  };
  const search = async () => {
    const reply = await attempt(searchEvents(session.id, text));
    if (!reply) return;
    setFound(reply.eventIds);
    if (!reply.eventIds.length) toast("Nothing found");
    show(reply.eventIds, reply.eventIds.length - 1);
  };
  const step = (by: number) => found.length && show(found, (at + by + found.length) % found.length);
  return (
    <form class="search-bar" role="search" onSubmit={(event) => (event.preventDefault(), found.length ? step(-1) : void search())}>
      <input ref={field} type="search" value={text} placeholder="Search this task" aria-label="Search this task"
        onInput={(event) => (setText(event.currentTarget.value), setFound([]))}
        onKeyDown={(event) => event.key === "Escape" && close()} />
      {text && !found.length && <button type="submit" class="quiet">Search</button>}
      {found.length > 0 && (
        <>
          <span class="muted">{at + 1} of {found.length}</span>
          <button type="button" class="quiet" onClick={() => step(-1)}>Previous</button>
          <button type="button" class="quiet" onClick={() => step(1)}>Next</button>
        </>
      )}
      <button type="button" class="icon-button" aria-label="Close the search" onClick={close}><Icon name="cross" /></button>
    </form>
  );
}

export function Transcript({ session, event, compact = false }: { session: TaskSession; event: string; compact?: boolean }) {
  const version = session.version.value;
  const { transcript } = session.window;
  const items = useMemo(() => groupRuns(transcript.rows), [version, transcript]);
  const [following, setFollowing] = useState(true);
  const [searching, setSearching] = useState(false);
  const [wide, setWide] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const { target, jump } = useJump(session, items, transcript);
  const turns = useTurns(session, compact ? 0 : (session.task.value?.turns ?? 0));

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWide((entry?.contentRect.width ?? 0) > 860));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useEffect(() => void (event && jump(event)), [event]);

  const toEnd = () => {
    if (!session.window.atEnd) return void session.open().then(() => setEnd((n) => n + 1));
    setEnd((n) => n + 1);
  };
  const [end, setEnd] = useState(0);
  const toTurn = (by: number) => {
    const seen = box.current?.querySelector<HTMLElement>("[data-first]")?.dataset.first ?? session.window.last;
    const next = by > 0
      ? turns.find(({ eventId }) => compareIds(eventId, seen) > 0)
      : turns.findLast(({ eventId }) => compareIds(eventId, seen) < 0);
    if (next) jump(next.eventId);
  };
  useKeys(compact ? [] : [
    { key: "f", does: "search inside the task", run: () => setSearching(true) },
    { key: "G", does: "go to the end", run: toEnd },
    { key: "[", does: "previous turn", run: () => toTurn(-1) },
    { key: "]", does: "next turn", run: () => toTurn(1) },
  ]);
  const context = useMemo(() => ({ session, wide }), [session, wide]);
  return (
    <Rows.Provider value={context}>
      <div class="transcript" ref={box}>
        {searching && <SearchBar session={session} jump={jump} close={() => setSearching(false)} />}
        {!compact && (
          <div class="transcript-tools">
            <button type="button" class="icon-button" aria-label="Search this task" title="Search this task (f)" onClick={() => setSearching(true)}>
              <Icon name="search" />
            </button>
            {turns.length > 1 && (
              <select aria-label="Jump to a turn" value="" onChange={(change) => jump(change.currentTarget.value)}>
                <option value="" disabled>{turns.length} turns</option>
                {turns.map(({ turn, eventId, prompt }) => (
                  <option value={eventId}>{turn}. {visible(firstLine(prompt, 60))}</option>
                ))}
              </select>
            )}
          </div>
        )}
        <PinnedTodo items={session.window.todo} />
        {session.loading.value === "all" && !items.length && <p class="empty" role="status">Loading…</p>}
        <VirtualList items={items} keyOf={(item) => item.key} render={draw} label="Transcript"
          onStart={() => void session.loadOlder()} onEnd={() => void session.loadNewer()}
          atEnd={session.window.atEnd} target={target} end={end}
          onFollow={(follows) => ((session.following = follows), setFollowing(follows))} />
        {(!following || !session.window.atEnd) && (
          <button type="button" class="to-end" onClick={toEnd}>
            <Icon name="down" /> {session.unseen.value ? `${session.unseen.value} new` : "To the end"}
          </button>
        )}
      </div>
    </Rows.Provider>
  );
}
