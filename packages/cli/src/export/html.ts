/** Renders a branch as one self-contained HTML page: all text is escaped, no script runs and nothing is loaded. */

import { createHash } from "node:crypto";
import { escapeControls } from "../text/safe-text.ts";
import { languageOfPath } from "../text/tool-call-text.ts";
import { escapeHtml, renderCode, renderMarkdownHtml, renderPlainText } from "./markdown-html.ts";
import { type Block, isSupportedImage, type ReadBranchResult, type TranscriptItem } from "./read-branch.ts";
import { stylesheet } from "./stylesheet.ts";

type Branch = Extract<ReadBranchResult, { type: "branch" }>;
type ToolCallBlock = Extract<Block, { type: "tool-call" }>;

export function renderHtml({ title, facts, items }: Branch): string {
  const factList = facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>${stylesheet}</style>
</head>
<body>
<header><h1>${escapeHtml(title)}</h1><dl>${factList}</dl></header>
<main>
${renderItems(items)}
</main>
</body>
</html>
`;
}

/** Forbids scripts and all loading. The stylesheet is allowed by its hash. */
const contentSecurityPolicy = `default-src 'none'; img-src data:; style-src 'sha256-${createHash("sha256").update(stylesheet).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/** The result of a tool call is shown with the call. Ids may repeat, so a result belongs to the reply before it. */
function renderItems(items: readonly TranscriptItem[]): string {
  const shownResults = new Set<TranscriptItem>();
  const takeResult = (index: number, callId: string): TranscriptItem | undefined => {
    const end = items.findIndex(({ kind }, other) => other > index && (kind === "assistant" || kind === "user"));
    const candidates = items.slice(index + 1, end === -1 ? items.length : end);
    const result = candidates.find((item) => item.callId === callId && !shownResults.has(item));
    if (result) shownResults.add(result);
    return result;
  };
  return items
    .map((item, index) => (shownResults.has(item) ? "" : renderItem(item, (callId) => takeResult(index, callId))))
    .filter((html) => html !== "")
    .join("\n");
}

type TakeResult = (callId: string) => TranscriptItem | undefined;

function renderItem({ kind, heading, time, blocks }: TranscriptItem, takeResult: TakeResult): string {
  const content = blocks.map((block) => renderBlock(block, takeResult)).join("");
  if (kind === "result" || kind === "failure")
    return `<article class="${kind}"><details><summary>${escapeHtml(heading)}</summary>${content}</details></article>`;
  const header = `<h2>${escapeHtml(heading)}</h2><time>${escapeHtml(formatTime(time))}</time>`;
  return `<article class="${kind}">${header}${content}</article>`;
}

/** `2026-01-02 10:30` in UTC, or the text as it is. */
function formatTime(time: string): string {
  return /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/.exec(time)?.slice(1).join(" ") ?? time;
}

function renderBlock(block: Block, takeResult: TakeResult): string {
  switch (block.type) {
    case "text":
      return renderMarkdownHtml(block.text);
    case "thinking":
      return `<details><summary>Thinking</summary>${renderPlainText(block.text)}</details>`;
    case "tool-call":
      return renderToolCall(block, takeResult(block.id));
    case "attachment":
      return `<details><summary>Attached: ${escapeHtml(block.name)}</summary>${renderCode(block.text, languageOfPath(block.name))}</details>`;
    case "output":
      return renderCode(block.text, "");
    case "image":
      return isSupportedImage(block.mimeType) && /^[A-Za-z0-9+/=]*$/.test(block.data)
        ? `<img alt="image" src="data:${block.mimeType};base64,${block.data}">`
        : "<p>(image cannot be shown)</p>";
  }
}

function renderToolCall(call: ToolCallBlock, result: TranscriptItem | undefined): string {
  const output = result?.diff
    ? renderCode(result.diff, "diff")
    : (result?.blocks ?? []).map((block) => renderBlock(block, () => undefined)).join("");
  const state = result?.kind === "failure" ? ' <span class="failed">failed</span>' : "";
  return `<details class="call"><summary><span class="tool">${escapeHtml(call.title)}</span>${state}</summary>${renderArguments(call)}${output}</details>`;
}

/** Commands and written files are shown as code. Other arguments are shown as JSON. */
function renderArguments({ name, arguments: args, text }: ToolCallBlock): string {
  if (name === "bash" && typeof args.command === "string") return renderCode(escapeControls(args.command), "bash");
  if (name === "write" && typeof args.content === "string")
    return renderCode(escapeControls(args.content), languageOfPath(String(args.path)));
  return name === "read" || name === "edit" ? "" : renderCode(text, "json");
}
