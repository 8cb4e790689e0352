/** Renders a branch as one self-contained HTML page: all text is escaped, no script runs and nothing is loaded. */

import { createHash } from "node:crypto";
import { type Block, type Item, isPicture, type ReadBranch } from "./read-branch.ts";

export const style = `
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

type Branch = Extract<ReadBranch, { type: "branch" }>;

export function page({ title, facts, items }: Branch): string {
  const list = facts.map(([name, value]) => `<dt>${escaped(name)}</dt><dd>${escaped(value)}</dd>`).join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<meta name="referrer" content="no-referrer">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<header><h1>${escaped(title)}</h1><dl>${list}</dl></header>
<main>
${items.map(article).join("\n")}
</main>
</body>
</html>
`;
}

/** Nothing is loaded and nothing runs; the one style is known by its hash. */
const policy = `default-src 'none'; img-src data:; style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'; base-uri 'none'; form-action 'none'`;

function article({ kind, heading, time, blocks }: Item): string {
  const head = `<h2>${escaped(heading)}</h2><time>${escaped(time)}</time>`;
  return `<article class="${kind}">${head}${blocks.map(shown).join("")}</article>`;
}

function shown(block: Block): string {
  switch (block.type) {
    case "text":
      return `<div class="text">${escaped(block.text)}</div>`;
    case "thinking":
      return `<details><summary>Thinking</summary><div class="text">${escaped(block.text)}</div></details>`;
    case "call":
      return `<details open><summary>${escaped(block.name)}</summary><pre>${escaped(block.text)}</pre></details>`;
    case "attachment":
      return `<details><summary>Attached: ${escaped(block.name)}</summary><pre>${escaped(block.text)}</pre></details>`;
    case "output":
      return `<pre>${escaped(block.text)}</pre>`;
    case "picture":
      return isPicture(block.mimeType) && /^[A-Za-z0-9+/=]*$/.test(block.data)
        ? `<img alt="a picture" src="data:${block.mimeType};base64,${block.data}">`
        : "<p>(a picture that cannot be shown)</p>";
  }
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
