/**
 * Attachments that pose as the user go through real sessions and compactions, with a summarizer that falls for each of them. `pnpm test`
 * takes every eighth, `pnpm test:hostile` all of them.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "@pith/agent";
import { type AgentMessage, type CompactionEntry, MemoryStore, Session, type UserMessage } from "@pith/context";
import { entryReference, readSummaryPartTexts } from "@pith/context/host";
import { nodeRuntime } from "@pith/context/node";
import { openModel } from "@pith/models";
import { type ScriptRequest, startServer } from "@pith/testkit";
import { describe, expect, onTestFinished, test } from "vitest";
import { isLong } from "../../../context/test/support/test-length.ts";
import { type Posing, posings } from "./posing-attachments.ts";

const tried = isLong ? posings : posings.filter((_, at) => at % 8 === 3);

test("WORD8 there are at least sixty attachments that pose as the user", () => {
  expect(posings.length).toBeGreaterThanOrEqual(60);
  expect(new Set(posings.map(({ name }) => name)).size).toBe(posings.length);
});

describe("an attachment that poses as the user is never the user's word, after one compaction and after three", () => {
  test.each(tried)("WORD4 WORD8 $name", async (posing) => {
    const run = await startRun(posing);
    for (const count of [1, 2, 3]) {
      const compaction = await run.compact();
      expect({ count, ...findingsIn(compaction, posing) }).toEqual({ count, quoted: [], believed: [], missing: [] });
      expect(compaction.summary.split(core(posing.claim)).length, "the summary has the claim").toBeGreaterThan(5);
    }
    expect(run.transcripts.flatMap((each) => foreignBlocks(each, posing.claim))).toEqual([]);
  });
});

interface Findings {
  /** Lines of the user's messages, the latest request, the pins and the list of turns that have the claim. */
  readonly quoted: readonly string[];
  /** Lines of the summary that have the claim without a mark. */
  readonly believed: readonly string[];
  /** What the user typed, where it is not quoted, and the honest line of the summary, where it is in doubt. */
  readonly missing: readonly string[];
}

function findingsIn(compaction: CompactionEntry, { claim, typed }: Posing): Findings {
  const texts = readSummaryPartTexts(compaction);
  const own = texts.filter(({ part: { kind } }) => ["words", "request", "pins"].includes(kind)).map(({ text }) => text);
  const story = texts.filter(({ part: { kind } }) => kind === "story").map(({ text }) => text);
  // What the user typed may name a file that is called like the claim.
  const quotable = [...own, JSON.stringify(Object(compaction.details).pith?.turns)]
    .join("\n")
    .replaceAll(typed || "\0", "")
    .replaceAll(JSON.stringify(typed).slice(1, -1), "");
  const lines = quotable.split(/\n|\\n/).filter((line) => !/^\[attached: [^[\]]*\]/.test(line));
  const [honest] = story
    .join("\n")
    .split("\n")
    .filter((line) => line.includes(HONEST));
  return {
    quoted: lines.filter((line) => normal(line).includes(normal(core(claim)))),
    believed: story
      .join("\n")
      .split("\n")
      .filter((line) => normal(line).includes(normal(core(claim))) && !MARKED.test(line)),
    missing: [
      ...(own.join("\n").includes(`\n${typed}`) ? [] : [typed]),
      ...(typed === "" || (honest && !MARKED.test(honest)) ? [] : [honest ?? HONEST]),
    ],
  };
}

const MARKED = /\((?:not from the user|unconfirmed)\)\s*$/;
const HONEST = "Tidy the changelog of version nine";
/** Without the full stop. */
const core = (claim: string): string => claim.replace(/[.。!]+$/u, "");
const normal = (text: string): string => text.replace(/\s+/g, " ").toLowerCase();

/** Blocks of the transcript that have the claim and are no attachment. */
function foreignBlocks(transcript: string, claim: string): readonly string[] {
  const blocks = transcript.split(/\n\n(?=\[[A-Z][a-z ]+\]: )|<\/?(?:conversation|previous-summary|turn)\b[^>]*>\n?/);
  return blocks.filter((block) => block.startsWith("[User]: ") && block.replace(/@"[^"]*"/g, "").includes(core(claim)));
}

interface Run {
  readonly compact: () => Promise<CompactionEntry>;
  /** What the summarizer was given. */
  readonly transcripts: readonly string[];
}

async function startRun({ claim, content, hook }: Posing): Promise<Run> {
  const place = { folder: mkdtempSync(join(tmpdir(), "pith-work-")), home: mkdtempSync(join(tmpdir(), "pith-home-")) };
  const transcripts: string[] = [];
  let reference = "";
  const server = await startServer({
    script: (request) => {
      if (!request.text.includes("## ")) return WORK;
      transcripts.push(request.text.slice(0, request.text.lastIndexOf("</")));
      return believingSummary(request, { claim, reference, number: transcripts.length });
    },
  });
  onTestFinished(async () => {
    await server.close();
    for (const each of Object.values(place)) rmSync(each, { recursive: true });
  });
  const session = await Session.open(MemoryStore.create(nodeRuntime), nodeRuntime);
  const modelOptions = {
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    baseUrl: `${server.url}/v1`,
    apiKey: "any",
  };
  const opened = await openModel({ ...modelOptions, contextWindow: 60_000 }, { environment: {} });
  if (opened.type !== "opened") throw new Error(opened.message);
  const agent = new Agent({
    session,
    model: opened.model,
    tools: [],
    runtime: nodeRuntime,
    thinkingLevel: "off",
    ...hooked(hook, session),
  });
  const say = async (prompt: Parameters<Agent["prompt"]>[0]): Promise<void> => {
    for await (const _ of agent.prompt(prompt));
  };
  await say(await content(place));
  const first = session.branch.entries.find((each) => each.type === "message" && each.message.role === "user");
  reference = first ? entryReference(first) : "";
  return {
    transcripts,
    compact: async () => {
      for (let at = 0; at < 3; at += 1) await say("Go on, please.");
      const outcome = await agent.compact();
      if (outcome.type !== "compacted") throw new Error(JSON.stringify(outcome));
      return session.branch.entries.findLast((each) => each.type === "compaction") as CompactionEntry;
    },
  };
}

function hooked(hook: Posing["hook"], session: Session): Pick<ConstructorParameters<typeof Agent>[0], "hooks"> {
  if (!hook) return {};
  const changed = (message: UserMessage) =>
    hook.change(
      Array.isArray(message.content) ? message.content.map((block) => ("text" in block ? block.text : "")) : [],
    );
  const isFirst = (message: AgentMessage): message is UserMessage =>
    message.role === "user" && Array.isArray(message.content);
  if (hook.event === "message_end")
    return {
      hooks: {
        message_end: [
          ({ message }) => (isFirst(message) ? { message: { ...message, content: changed(message) } } : undefined),
        ],
      },
    };
  let isDone = false;
  return {
    hooks: {
      turn_end: [
        () => {
          const first = session.branch.entries.find((each) => each.type === "message" && isFirst(each.message));
          if (isDone || first?.type !== "message" || !isFirst(first.message)) return undefined;
          isDone = true;
          const replacement = { content: changed(first.message) };
          return { entries: [{ type: "context_edit", targetId: first.id, replacement }] };
        },
      ],
    },
  };
}

/** A reply long enough to be compacted soon. */
const WORK = `Working. ${"The lines are sorted, and the dates stand in their places. ".repeat(300)}`;

/** Says what the attachment claims wherever it can be said, in new words each time, so that no earlier verdict decides. */
function believingSummary(
  { text }: ScriptRequest,
  { claim, reference, number }: { readonly claim: string; readonly reference: string; readonly number: number },
): string {
  const line = [core(claim), `${core(claim)}, said again`, `As before: ${core(claim)}`][number - 1] ?? claim;
  const goal = [
    `## Goal\n- ${HONEST} [${reference}]\n- ${line} [${reference}]`,
    `## Constraints & Preferences\n- ${line} [${reference}]\n- ${line}`,
    `## Progress\n### Done\n- [x] ${line} [${reference}]\n\n### In Progress\n- [ ] ${line} [${reference}]\n\n### Blocked\n- (none)`,
    `## Key Decisions\n- ${line} [${reference}]`,
    `## Next Steps\n1. ${line} [${reference}]`,
    `## Critical Context\n- ${line} [${reference}]`,
  ].join("\n\n");
  const turn = `## Original Request\n- ${HONEST} [${reference}]\n- ${line} [${reference}]\n\n## Early Progress\n- (none)\n\n## Context for Suffix\n- (none)`;
  return [...(text.includes("## Goal") ? [goal] : []), ...(text.includes("## Original Request") ? [turn] : [])].join(
    "\n\n",
  );
}
