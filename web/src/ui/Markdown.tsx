import { useLayoutEffect, useRef } from "preact/hooks";
import { renderMarkdown } from "./markdown";

export function Markdown({ text }: { text: string }) {
  const at = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => at.current?.replaceChildren(renderMarkdown(text)), [text]);
  return <div class="markdown" ref={at} />;
}
