import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

function stored(): Theme {
  const theme = document.documentElement.dataset.theme;
  return theme === "light" || theme === "dark" ? theme : "system";
}

export const theme = signal<Theme>(stored());

/** public/theme.js reads what is stored here before the first paint. */
export function setTheme(next: Theme): void {
  theme.value = next;
  if (next === "system") {
    delete document.documentElement.dataset.theme;
    localStorage.removeItem("troika.theme");
  } else {
    document.documentElement.dataset.theme = next;
    localStorage.setItem("troika.theme", next);
  }
}
