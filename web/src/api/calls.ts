// One function for each route that the page uses.
import { get, post, query, send } from "./client";
import type {
  CreateTask, Event, EventPage, Folder, Fork, Harness, Input, PageSession, RawRecord, Respond,
  Resume, Search, Task, Turns, UsageReport,
} from "./types";

const task = (id: string) => `/tasks/${encodeURIComponent(id)}`;

export const listTasks = (pageToken = "") =>
  get<{ tasks: Task[]; nextPageToken: string }>(`/tasks${query({ page_size: 500, page_token: pageToken })}`);
export const findTasks = (text: string, signal: AbortSignal) =>
  get<{ tasks: Task[] }>(`/tasks${query({ page_size: 100, text })}`, signal);
export const getTask = (id: string) => get<Task>(task(id));
export const createTask = (request: CreateTask) => post<Task>("/tasks", request);
export const removeTask = (id: string) => send("DELETE", task(id));
export const sendInput = (id: string, request: Input) => post<Task>(`${task(id)}/input`, request);
export const editInput = (id: string, input: string, text: string) =>
  post<Task>(`${task(id)}/inputs/${encodeURIComponent(input)}/edit`, { text });
export const withdrawInput = (id: string, input: string) =>
  post<Task>(`${task(id)}/inputs/${encodeURIComponent(input)}/withdraw`);
export const resumeQueue = (id: string) => post<Task>(`${task(id)}/inputs/resume`);
export const respond = (id: string, request: Respond) =>
  post<Task>(`${task(id)}/respond`, { ...request, via: "page" });
export const interrupt = (id: string) => post<Task>(`${task(id)}/interrupt`);
export const stop = (id: string) => post<Task>(`${task(id)}/stop`);
export const resume = (id: string, request: Resume) => post<Task>(`${task(id)}/resume`, request);
export const fork = (id: string, request: Fork) => post<Task>(`${task(id)}/fork`, request);

export const listHarnesses = () => get<{ harnesses: Harness[] }>("/harnesses");
export const listFolders = () => get<{ folders: Folder[] }>("/folders");
export const usageByDay = (since: string) =>
  get<UsageReport>(
    `/usage${query({ since, by_day: true, utc_offset_minutes: -new Date().getTimezoneOffset() })}`,
  );

export const eventsBefore = (id: string, before: string, size: number) =>
  get<EventPage>(`${task(id)}/events${query({ before, page_size: size })}`);
export const eventsAfter = (id: string, after: string, size: number) =>
  get<EventPage>(`${task(id)}/events${query({ after, page_size: size })}`);
export const wholeEvent = (id: string, event: string) =>
  get<Event>(`${task(id)}/events/${encodeURIComponent(event)}`);
export const rawRecord = (id: string, event: string) =>
  get<RawRecord>(`${task(id)}/raw/${encodeURIComponent(event.split(".")[0] ?? "")}`);
export const listTurns = (id: string) => get<Turns>(`${task(id)}/turns`);
export const searchEvents = (id: string, text: string) =>
  get<Search>(`${task(id)}/search${query({ text })}`);

export async function exportTask(id: string, format: "markdown" | "jsonl"): Promise<Blob> {
  return await (await send("GET", `${task(id)}/export${query({ format })}`)).blob();
}

export async function upload(image: Blob): Promise<string> {
  const response = await send("POST", "/uploads", { headers: { "Content-Type": image.type }, body: image });
  return ((await response.json()) as { path: string }).path;
}

export const listSessions = () => get<{ sessions: PageSession[] }>("/page/sessions");
export const revokeSession = (id: string) => send("DELETE", `/page/sessions/${encodeURIComponent(id)}`);
