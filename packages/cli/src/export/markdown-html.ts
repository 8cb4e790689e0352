/** Renders Markdown and code as HTML for an exported page. All text is escaped; raw HTML, links and images become text. */

import { Marked, type RendererObject, type Tokens } from "marked";
import { highlightToHtml } from "../text/highlight-code.ts";
import { isSafeToParse } from "../text/markdown-limits.ts";

/** A text that cannot be parsed quickly is shown as it is. */
export function renderMarkdownHtml(text: string): string {
  if (!isSafeToParse(text)) return renderPlainText(text);
  try {
    return `<div class="markdown">${marked.parse(text, { async: false })}</div>`;
  } catch {
    return renderPlainText(text);
  }
}

export function renderPlainText(text: string): string {
  return `<div class="text">${escapeHtml(text)}</div>`;
}

/** Renders a framed block of code, with colors if the language is known. */
export function renderCode(text: string, language: string): string {
  const html = text.length > MAX_HIGHLIGHT_CHARS ? null : highlightToHtml(text, language);
  return `<pre><code>${html ?? escapeHtml(text)}</code></pre>`;
}

export const MAX_HIGHLIGHT_CHARS = 100_000;

/** Escapes every `&` too, so that an entity cannot become a character that was removed from the text. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

// EXP2: the page has no element and no address that the session chose.
const renderer: RendererObject = {
  html: ({ text }) => escapeHtml(text),
  text: function (token) {
    return "tokens" in token && token.tokens ? this.parser.parseInline(token.tokens) : escapeHtml(token.text);
  },
  link: function ({ href, text, tokens }) {
    const label = this.parser.parseInline(tokens);
    return href === text || href === `mailto:${text}` ? label : `${label} <span class="url">${escapeHtml(href)}</span>`;
  },
  image: ({ href, text }) => `<span class="url">${escapeHtml([text, href].filter(Boolean).join(" "))}</span>`,
  code: ({ text, lang = "" }) => renderCode(text, lang),
  codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
  heading: function ({ tokens, depth }) {
    const level = Math.min(6, depth + 2);
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
  },
  checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  table: function (token) {
    const row = (cells: readonly Tokens.TableCell[], tag: "th" | "td"): string =>
      `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
    const rows = token.rows.map((cells) => row(cells, "td")).join("");
    return `<div class="wide"><table><thead>${row(token.header, "th")}</thead><tbody>${rows}</tbody></table></div>`;
  },
};

const marked = new Marked({ gfm: true, breaks: true, renderer });
