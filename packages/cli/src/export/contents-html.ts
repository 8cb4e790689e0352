/** Renders the contents of an exported page: links to the user's messages, the changed files, the failed calls and the summaries. */

import { truncate } from "@pith/host/text/safe-text";
import { escapeHtml } from "./markdown-html.ts";
import { findChangedFile, type TranscriptItem } from "./read-branch.ts";

interface ContentsLink {
  readonly kind: "user" | "change" | "failure" | "summary";
  readonly target: string;
  readonly text: string;
}

/** Empty for a page that is too short to need contents. */
export function renderContents(items: readonly TranscriptItem[], anchorOf: (item: TranscriptItem) => string): string {
  const failedCalls = new Set(items.flatMap(({ kind, callId }) => (kind === "failure" && callId ? [callId] : [])));
  const links = items.flatMap((item) =>
    listLinks(item, failedCalls).map((link) => ({ ...link, target: anchorOf(item) })),
  );
  if (links.length < MIN_LINKS) return "";
  return `<nav aria-label="Contents">\n${links.map(renderLink).join("\n")}\n</nav>`;
}

const MIN_LINKS = 3;

function renderLink({ kind, target, text }: ContentsLink): string {
  return `<a class="${kind}" href="#${target}">${escapeHtml(truncate(text, MAX_LINK_CHARS))}</a>`;
}

const MAX_LINK_CHARS = 120;

type LinkContent = Omit<ContentsLink, "target">;

function listLinks(item: TranscriptItem, failedCalls: ReadonlySet<string>): readonly LinkContent[] {
  switch (item.kind) {
    case "user":
      return [{ kind: "user", text: describeUserMessage(item) }];
    case "summary":
      return [{ kind: "summary", text: item.heading }];
    case "assistant":
      return item.blocks.flatMap((block): readonly LinkContent[] => {
        if (block.type !== "tool-call") return [];
        if (failedCalls.has(block.id)) return [{ kind: "failure", text: block.title }];
        return findChangedFile(block) === null ? [] : [{ kind: "change", text: block.title }];
      });
    default:
      return [];
  }
}

function describeUserMessage({ blocks, heading }: TranscriptItem): string {
  const texts = blocks.map((block) =>
    block.type === "text" ? block.text : block.type === "attachment" ? block.name : "",
  );
  return texts.find((text) => text.trim() !== "") ?? heading;
}
