/** Renders a branch as one self-contained HTML page: all text is escaped, no script runs and nothing is loaded. */

import { createHash } from "node:crypto";
import { type Block, isSupportedImage, type ReadBranchResult, type TranscriptItem } from "./read-branch.ts";

export const stylesheet = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 1rem; }
header { border-bottom: 1px solid #8886; margin-bottom: 1rem; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; }
h2 { display: inline; font-size: 0.9rem; overflow-wrap: anywhere; }
dl { display: grid; gap: 0 1rem; grid-template-columns: max-content 1fr; font-size: 0.85rem; }
dd { margin: 0; overflow-wrap: anywhere; }
time { color: #888; font-size: 0.75rem; margin-left: 0.75rem; }
article { border-left: 3px solid #8884; margin: 1rem 0; padding: 0.1rem 0 0.1rem 1rem; }
article.user { border-color: #2a7ae2; }
article.assistant { border-color: #2a9d5c; }
article.summary { border-color: #b8860b; }
article.failure { border-color: #c0392b; }
.text { overflow-wrap: anywhere; white-space: pre-wrap; }
pre { background: #8881; border-radius: 4px; font-size: 0.8rem; max-height: 30rem; overflow: auto; padding: 0.6rem; white-space: pre-wrap; }
summary { color: #888; cursor: pointer; font-size: 0.85rem; }
img { max-width: 100%; }
`;

type Branch = Extract<ReadBranchResult, { type: "branch" }>;

export function renderHtml({ title, facts, items }: Branch): string {
  const factList = facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${stylesheet}</style>
</head>
<body>
<header><h1>${escapeHtml(title)}</h1><dl>${factList}</dl></header>
<main>
${items.map(renderItem).join("\n")}
</main>
</body>
</html>
`;
}

/** Forbids scripts and all loading. The stylesheet is allowed by its hash. */
const contentSecurityPolicy = `default-src 'none'; img-src data:; style-src 'sha256-${createHash("sha256").update(stylesheet).digest("base64")}'; base-uri 'none'; form-action 'none'`;

function renderItem({ kind, heading, time, blocks }: TranscriptItem): string {
  const header = `<h2>${escapeHtml(heading)}</h2><time>${escapeHtml(time)}</time>`;
  return `<article class="${kind}">${header}${blocks.map(renderBlock).join("")}</article>`;
}

function renderBlock(block: Block): string {
  switch (block.type) {
    case "text":
      return `<div class="text">${escapeHtml(block.text)}</div>`;
    case "thinking":
      return `<details><summary>Thinking</summary><div class="text">${escapeHtml(block.text)}</div></details>`;
    case "tool-call":
      return `<details open><summary>${escapeHtml(block.name)}</summary><pre>${escapeHtml(block.text)}</pre></details>`;
    case "attachment":
      return `<details><summary>Attached: ${escapeHtml(block.name)}</summary><pre>${escapeHtml(block.text)}</pre></details>`;
    case "output":
      return `<pre>${escapeHtml(block.text)}</pre>`;
    case "image":
      return isSupportedImage(block.mimeType) && /^[A-Za-z0-9+/=]*$/.test(block.data)
        ? `<img alt="image" src="data:${block.mimeType};base64,${block.data}">`
        : "<p>(image cannot be shown)</p>";
  }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
