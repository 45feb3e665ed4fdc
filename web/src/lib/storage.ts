// Small things that are kept in the browser. Storage may be missing or full.

export function load<T>(name: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(`troika.${name}`);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

export function save(name: string, value: unknown): void {
  try {
    if (value === undefined || value === "") localStorage.removeItem(`troika.${name}`);
    else localStorage.setItem(`troika.${name}`, JSON.stringify(value));
  } catch {
    // The page works without it.
  }
}
