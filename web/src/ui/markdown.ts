// An agent's Markdown as sanitized nodes. Nothing of it loads or runs anything:
// no images, no styles, no scripts; links open outside and say where.
import DOMPurify from "dompurify";
import { Marked } from "marked";
import { visible } from "../lib/visible";

const MAX_PARSED = 200_000;

const TAGS = [
  "a", "b", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "i", "li", "ol",
  "p", "pre", "s", "strong", "sub", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul", "kbd",
];

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const marked = new Marked({
  gfm: true,
  renderer: {
    // HTML of an agent is shown as it was written.
    html: ({ text }) => escaped(text),
    image: ({ text, href }) => `<code>${escaped(`image: ${text || href}`)}</code>`,
    checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  },
});

const purify = DOMPurify(window);

purify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName !== "A") return;
  const href = node.getAttribute("href") ?? "";
  if (/^(https?|mailto):/i.test(href)) {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer");
    node.setAttribute("title", href);
    return;
  }
  // Paths open nothing.
  const code = node.ownerDocument.createElement("code");
  code.textContent = node.textContent || href;
  node.replaceWith(code);
});

function plain(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment();
  const pre = fragment.appendChild(document.createElement("pre"));
  pre.textContent = visible(text.slice(0, MAX_PARSED));
  return fragment;
}

export function renderMarkdown(text: string): DocumentFragment {
  if (text.length > MAX_PARSED || !purify.isSupported) return plain(text);
  try {
    return parsed(text);
  } catch {
    // It is nested so deeply that the stack ends.
    return plain(text);
  }
}

function parsed(text: string): DocumentFragment {
  const html = marked.parse(visible(text), { async: false });
  const fragment = purify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ["href", "start", "align"],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
  // What is wider than the page scrolls, also by keyboard.
  for (const block of fragment.querySelectorAll("pre, table")) {
    const scroller = document.createElement("div");
    scroller.className = "scroller";
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "group");
    scroller.setAttribute("aria-label", block.tagName === "PRE" ? "Code" : "Table");
    block.replaceWith(scroller);
    scroller.append(block);
  }
  return fragment;
}
