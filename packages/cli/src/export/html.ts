/** Renders a branch as one self-contained HTML page: all text is escaped, no script runs and nothing is loaded. */

import { createHash } from "node:crypto";
import { formatLineCount } from "@pith/host/text/format";
import { escapeControls } from "@pith/host/text/safe-text";
import { formatChangeCount } from "../text/diff-rows.ts";
import { LINE_COUNT_TOOLS, languageOfPath } from "../text/tool-call-text.ts";
import { renderContents } from "./contents-html.ts";
import { renderDiffHtml } from "./diff-html.ts";
import { escapeHtml, renderCode, renderMarkdownHtml, renderPlainText } from "./markdown-html.ts";
import { type Block, formatTime, isSupportedImage, type ReadBranchResult, type TranscriptItem } from "./read-branch.ts";
import { stylesheet } from "./stylesheet.ts";

type ToolCallBlock = Extract<Block, { type: "tool-call" }>;

export function renderHtml({ title, facts, items }: Extract<ReadBranchResult, { type: "branch" }>): string {
  const factList = facts.map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(value)}</dd>`).join("");
  const anchors = new Map(items.map((item, index) => [item, `m${index + 1}`]));
  const anchorOf = (item: TranscriptItem): string => anchors.get(item) ?? "";
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
<header><h1>${escapeHtml(title)}</h1><dl>${factList}</dl><label><input type="checkbox" id="expand"> Expand everything</label></header>
${renderContents(items, anchorOf)}
<main>
${renderItems(items, anchorOf)}
</main>
</body>
</html>
`;
}

/** Forbids scripts and all loading. The stylesheet is allowed by its hash. */
const contentSecurityPolicy = `default-src 'none'; img-src data:; style-src 'sha256-${createHash("sha256").update(stylesheet).digest("base64")}'; base-uri 'none'; form-action 'none'`;

/**
 * The result of a tool call is shown with the call. Ids may repeat, so a result belongs to the reply before it. A reply that continues the
 * one before it has no heading of its own.
 */
function renderItems(items: readonly TranscriptItem[], anchorOf: (item: TranscriptItem) => string): string {
  const shownResults = new Set<TranscriptItem>();
  const takeResult = (index: number, callId: string): TranscriptItem | undefined => {
    for (let next = index + 1; next < items.length; next += 1) {
      const item = items[next];
      if (!item || item.kind === "assistant" || item.kind === "user") return undefined;
      if (item.callId !== callId || shownResults.has(item)) continue;
      shownResults.add(item);
      return item;
    }
    return undefined;
  };
  const articles: string[] = [];
  let previousItem: TranscriptItem | undefined;
  for (const [index, item] of items.entries()) {
    if (shownResults.has(item)) continue;
    const isContinued = item.kind === "assistant" && previousItem?.kind === "assistant";
    const hasHeading = !isContinued || previousItem?.heading !== item.heading;
    const options = { anchor: anchorOf(item), hasHeading, takeResult: (callId: string) => takeResult(index, callId) };
    articles.push(renderItem(item, options));
    previousItem = item;
  }
  return articles.join("\n");
}

type TakeResult = (callId: string) => TranscriptItem | undefined;

interface ItemOptions {
  readonly anchor: string;
  readonly hasHeading: boolean;
  readonly takeResult: TakeResult;
}

function renderItem(item: TranscriptItem, { anchor, hasHeading, takeResult }: ItemOptions): string {
  const { kind, heading, time, blocks } = item;
  const content = blocks.map((block) => renderBlock(block, takeResult)).join("");
  const openingTag = (className: string): string => `<article class="${className}" id="${anchor}">`;
  if (kind === "result" || kind === "failure")
    return `${openingTag(kind)}<details><summary>${escapeHtml(heading)}</summary>${content}</details></article>`;
  if (!hasHeading) return `${openingTag(`${kind} continued`)}${content}</article>`;
  const header = `<h2>${escapeHtml(heading)}</h2><a class="link" href="#${anchor}"><time>${escapeHtml(formatTime(time))}</time></a>`;
  const body =
    kind === "summary" ? `<details><summary>Summary sent to the model</summary>${content}</details>` : content;
  return `${openingTag(kind)}${header}${body}</article>`;
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

/** Changes and failures are open, since most readers look for them. Other calls are folded. */
function renderToolCall(call: ToolCallBlock, result: TranscriptItem | undefined): string {
  const [tool = "", ...words] = call.title.split(" ");
  const title = `<b>${escapeHtml(tool)}</b> ${escapeHtml(words.join(" "))}`;
  const amount = formatAmount(call, result);
  const end = result?.kind === "failure" ? ` <span class="failed">${escapeHtml(result.end ?? "failed")}</span>` : "";
  const note = amount === "" ? end : ` <span class="amount">${escapeHtml(amount)}</span>${end}`;
  const isOpen = result?.diff !== undefined || result?.kind === "failure";
  return `<details class="call"${isOpen ? " open" : ""}><summary><span class="tool">${title}</span>${note}</summary>${renderCallContent(call, result)}</details>`;
}

function renderCallContent(call: ToolCallBlock, result: TranscriptItem | undefined): string {
  const language = languageOfPath(String(call.arguments.path ?? ""));
  if (result?.diff) return renderDiffHtml(result.diff, language);
  const output = (result?.blocks ?? []).map((block) =>
    block.type === "output" && call.name === "read" && result?.kind === "result"
      ? renderCode(block.text, language)
      : renderBlock(block, () => undefined),
  );
  return `${renderArguments(call)}${output.join("")}`;
}

/** Commands and written files are shown as code. Other arguments are shown as JSON. */
function renderArguments({ name, title, arguments: args, text }: ToolCallBlock): string {
  if (name === "bash" && typeof args.command === "string")
    return title === `bash ${args.command}` ? "" : renderCode(escapeControls(args.command), "bash");
  if (name === "write" && typeof args.content === "string")
    return renderCode(escapeControls(args.content), languageOfPath(String(args.path)));
  return name === "read" || name === "edit" ? "" : renderCode(text, "json");
}

function formatAmount({ name, arguments: args }: ToolCallBlock, result: TranscriptItem | undefined): string {
  if (result?.diff) return formatChangeCount(result.diff);
  if (name === "write" && typeof args.content === "string") return formatLineCount(args.content);
  const output = result?.kind === "result" ? result.blocks.find((block) => block.type === "output") : undefined;
  return output?.type === "output" && LINE_COUNT_TOOLS.includes(name) ? formatLineCount(output.text) : "";
}
