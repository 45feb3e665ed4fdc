import type { TokenCounts, Usage } from "../api/types";

export function count(n: number): string {
  if (n < 1_000) return String(n);
  if (n < 10_000) return `${(n / 1_000).toFixed(1)}k`;
  if (n < 1_000_000) return `${Math.round(n / 1_000)}k`;
  return `${(n / 1_000_000).toFixed(n < 10_000_000 ? 1 : 0)}M`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

export function bytes(n: number): string {
  if (n < 1_024) return `${n} B`;
  if (n < 1_048_576) return `${Math.round(n / 1_024)} KiB`;
  return `${(n / 1_048_576).toFixed(1)} MiB`;
}

/** Milliseconds of a duration such as "1.5s". */
export function milliseconds(duration: string | undefined): number {
  return duration ? Number.parseFloat(duration) * 1_000 : 0;
}

export function span(ms: number): string {
  const s = ms / 1_000;
  if (s < 1) return `${Math.round(ms)} ms`;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 60) return `${Math.round(s)} s`;
  const m = Math.floor(s / 60);
  if (m < 60) return `${m} min ${Math.round(s % 60)} s`;
  const h = Math.floor(m / 60);
  return h < 48 ? `${h} h ${m % 60} min` : `${Math.floor(h / 24)} d`;
}

export function ago(time: string | undefined, now: number): string {
  if (!time) return "";
  const s = Math.max(0, (now - Date.parse(time)) / 1_000);
  if (s < 10) return "now";
  if (s < 60) return `${Math.floor(s)}s`;
  if (s < 3_600) return `${Math.floor(s / 60)}m`;
  if (s < 86_400) return `${Math.floor(s / 3_600)}h`;
  return `${Math.floor(s / 86_400)}d`;
}

export function cost(usd: number, source: string): string {
  if (source === "none" || !usd) return "";
  const text = usd < 0.01 ? usd.toFixed(4) : usd.toFixed(2);
  return `${source === "estimated" ? "≈ " : ""}$${text}`;
}

export function tokens(counts: TokenCounts | undefined): { input: number; cached: number; output: number } {
  const n = (text: string | undefined) => Number(text ?? 0);
  return {
    input: n(counts?.inputTokens) + n(counts?.cachedInputTokens) + n(counts?.cacheWriteInputTokens),
    cached: n(counts?.cachedInputTokens),
    output: n(counts?.outputTokens),
  };
}

export function usageText(counts: TokenCounts | undefined): string {
  const { input, cached, output } = tokens(counts);
  if (!input && !output) return "";
  return `${count(input)} in${cached ? ` (${count(cached)} cached)` : ""}, ${count(output)} out`;
}

export function totalCost(usage: Usage | undefined): string {
  return usage ? cost(usage.totalCostUsd, usage.totalCostSource) : "";
}

/** The end of a path, which tells most. */
export function folder(path: string): string {
  const parts = path.split("/").filter(Boolean);
  return parts.length > 2 ? `…/${parts.slice(-2).join("/")}` : path;
}

/** A path as it is seen from a folder that it is in; others stay whole. */
export function relativePath(path: string, from: string | undefined): string {
  const base = from?.replace(/\/+$/, "");
  return base && path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path;
}

export function firstLine(text: string, limit = 200): string {
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  return line.length > limit ? `${line.slice(0, limit)}…` : line;
}

const BROWSERS: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, "Edge"], [/\bOPR\/(\d+)/, "Opera"], [/\b(?:Firefox|FxiOS)\/(\d+)/, "Firefox"],
  [/\b(?:Headless)?(?:Chrome|CriOS)\/(\d+)/, "Chrome"], [/\bVersion\/(\d+)[\d.]* .*Safari/, "Safari"],
];
const SYSTEMS: [RegExp, string][] = [
  [/Android/, "Android"], [/iPhone/, "iPhone"], [/iPad/, "iPad"], [/Mac OS X/, "macOS"], [/Windows/, "Windows"], [/CrOS/, "ChromeOS"], [/Linux/, "Linux"],
];

/** A browser by its User-Agent, such as "Firefox 140 on Linux"; others as they are. */
export function browserName(agent: string): string {
  const browser = BROWSERS.map(([mark, name]) => [name, mark.exec(agent)?.[1]] as const).find(([, version]) => version);
  if (!browser) return agent;
  const system = SYSTEMS.find(([mark]) => mark.test(agent))?.[1];
  return `${browser.join(" ")}${system ? ` on ${system}` : ""}`;
}

export function words(name: string): string {
  return name.replaceAll("_", " ");
}
