// Requests to the server. A session is a cookie and a key; see docs/api.md.
import type { Answered, ApiErrorBody } from "./types";

const KEY = "troika.key";
const BASE = "/api/v1";

/** An error that the server reported, or that it can't be reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly answered?: Answered,
  ) {
    super(message);
  }
}

export function sessionKey(): string {
  return localStorage.getItem(KEY) ?? "";
}

let onSignedOut = () => {};

export function setSignedOutHandler(handler: () => void): void {
  onSignedOut = handler;
}

async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Partial<ApiErrorBody>;
  return new ApiError(
    response.status,
    body.code ?? "internal",
    body.message ?? `the server answered ${response.status} ${response.statusText}`,
    body.answered,
  );
}

/** Sends a request; throws ApiError if it fails. */
export async function send(method: string, path: string, options: RequestInit = {}): Promise<Response> {
  const headers = new Headers(options.headers);
  headers.set("X-Troika-Key", sessionKey());
  let response: Response;
  try {
    response = await fetch(BASE + path, { ...options, method, headers, credentials: "same-origin" });
  } catch {
    throw new ApiError(0, "unavailable", "the server can't be reached: is `troika serve` running?");
  }
  if (response.ok) return response;
  if (response.status === 401) onSignedOut();
  throw await errorOf(response);
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await (await send("GET", path, signal ? { signal } : {})).json()) as T;
}

export async function post<T>(path: string, body: unknown = {}): Promise<T> {
  const response = await send("POST", path, {
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** Exchanges the one-time code of the address for a session. */
export async function signIn(code: string): Promise<void> {
  const response = await fetch(`${BASE}/page/sessions`, {
    method: "POST",
    headers: { Authorization: `Code ${code}` },
    credentials: "same-origin",
  });
  if (!response.ok) throw await errorOf(response);
  const { key } = (await response.json()) as { key: string };
  localStorage.setItem(KEY, key);
}

export function query(fields: Record<string, string | number | boolean | undefined>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  return text ? `?${text}` : "";
}
