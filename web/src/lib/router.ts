// The address is the state of navigation. Links are real links.
import { signal } from "@preact/signals";

export type Route =
  | { name: "tasks" | "new" | "usage" | "settings" | "unknown" }
  | { name: "task"; id: string; event: string }
  | { name: "compare"; ids: string[] };

/** Nothing if the text is not encoded as in an address. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

export function parse(location: { pathname: string; search: string; hash: string }): Route {
  const [first = "", second = "", ...rest] = location.pathname.split("/").filter(Boolean);
  if (first === "") return { name: "tasks" };
  if (first === "tasks" && second && !rest.length) {
    const id = decoded(second);
    return id ? { name: "task", id, event: location.hash.slice(1) } : { name: "unknown" };
  }
  if (second) return { name: "unknown" };
  if (first === "compare") {
    const ids = new URLSearchParams(location.search).get("tasks") ?? "";
    return { name: "compare", ids: ids.split(",").filter(Boolean) };
  }
  return first === "new" || first === "usage" || first === "settings" ? { name: first } : { name: "unknown" };
}

export const route = signal<Route>(parse(location));

export function go(path: string, how: "push" | "replace" = "push"): void {
  if (path !== location.pathname + location.search + location.hash) {
    history[how === "push" ? "pushState" : "replaceState"](null, "", path);
  }
  route.value = parse(location);
}

export const taskPath = (id: string) => `/tasks/${encodeURIComponent(id)}`;

/** Follows links of the page without loading it again. */
export function startRouter(): void {
  addEventListener("popstate", () => (route.value = parse(location)));
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = (event.target as Element | null)?.closest?.("a");
    if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
    event.preventDefault();
    go(link.pathname + link.search + link.hash);
  });
}
