/** A branch as one page that needs nothing else: every word escaped, no script, and no address is ever asked for anything. */

import { createHash } from "node:crypto";
import { type Block, isPicture } from "../blocks.ts";
import type { ReadBranch } from "../branch.ts";
import type { Item } from "../items.ts";
import { style } from "./style.ts";

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
