// Makes characters visible that change how a text looks without being seen:
// controls, and those that reverse or hide what follows.

const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\udb40[\udc00-\udc7f]/g;

function shown(char: string): string {
  const code = char.codePointAt(0)!;
  // Fonts without its picture must not hide that a line is written over.
  if (code < 0x20 && char !== "\r") return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "␡";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(HIDDEN, shown);
}
