/** The documents' interfaces beside our types, and their programs against the types of our packages. */

import { expect, test } from "vitest";
import { checkTypes, sourceSamples, splitImports, withOurImports } from "./source-samples.ts";

const samplesOf = (document: number, words: string): string =>
  sourceSamples()
    .filter((sample) => sample.document === document && sample.code.includes(words))
    .map(({ code }) => withOurImports(code))
    .join("\n");

/** Of a document, as a module that exports them. */
function interfaces(document: number, words: string): string {
  const base = 'import type { SessionEntryBase } from "@pith/context";\nexport type Base = SessionEntryBase;\n';
  return base + samplesOf(document, words).replace(/^interface /gm, "export interface ");
}

/** `Both` is true where each can stand for the other. */
const CHECKS = `import type * as ours from "@pith/context";
import type * as doc2 from "./document-2.ts";
import type * as doc3 from "./document-3.ts";
import type * as doc4 from "./document-4.ts";
type Is<Wide, Narrow extends Wide> = Narrow;
type Both<One, Other> = [One] extends [Other] ? ([Other] extends [One] ? true : "ours is more") : "ours is less";
interface Mine { readonly version: string }
export type Checks = Is<readonly true[], [
  Both<ours.CompactionEntry, doc2.CompactionEntry>,
  Both<ours.CompactionEntry<Mine>, doc2.CompactionEntry<Mine>>,
  Both<ours.CompactionDetails, doc2.CompactionDetails>,
  Both<ours.BranchSummaryEntry, doc2.BranchSummaryEntry>,
  Both<ours.BranchSummaryEntry<Mine>, doc2.BranchSummaryEntry<Mine>>,
  Both<ours.BranchSummaryDetails, doc2.BranchSummaryDetails>,
  // B55, B56: the time is a text, and a root has no parent.
  Both<Timeless<ours.CompactionEntry>, Timeless<doc4.CompactionEntry>>,
  Both<Timeless<ours.BranchSummaryEntry>, Timeless<doc4.BranchSummaryEntry>>,
  Both<ours.CompactionDetails, doc4.CompactionDetails>,
  Both<ours.BranchSummaryDetails, doc4.BranchSummaryDetails>,
  Both<ours.CompactionSettings, Required<NonNullable<doc3.Settings["compaction"]>>>,
]>;
export type Base = Is<ours.SessionEntryBase, ours.CompactionEntry | ours.BranchSummaryEntry>;
type Timeless<Each> = Omit<Each, "timestamp" | "parentId">;
`;

/** A program of a document, where `pi` and `session` are what they are here. */
function program(document: number, words: string): string {
  const { imports, body } = splitImports(samplesOf(document, words));
  const names = [...new Set(imports.match(/\b(?:serializeConversation|convertToLlm)\b/g))].join(", ");
  return `import type { Agent, ExtensionApi } from "@pith/agent";
import type { AgentMessage } from "@pith/context";
${names === "" ? "" : `import { ${names} } from "@pith/context";`}
declare function myCustomSummarizer(text: string, previous?: string): Promise<string>;
declare const myArtifactIndex: Readonly<Record<string, number>>;
export const given: readonly unknown[] = [myCustomSummarizer, myArtifactIndex];
export async function sample(pi: ExtensionApi, session: Agent, agentMessages: AgentMessage[]): Promise<void> {
void [pi, session, agentMessages];
${body}
}
`;
}

const SHOULD_COMPACT = `import { type CompactionSettings, shouldCompact } from "@pith/context";
export const theirs: (contextTokens: number, contextWindow: number, settings: CompactionSettings) => boolean = shouldCompact;
`;

test("SRC3 the documents' interfaces match our types, and their programs compile against our packages", () => {
  const modules = {
    "document-1.ts": SHOULD_COMPACT + samplesOf(1, "function shouldCompact").replace("shouldCompact", "documented"),
    "document-2.ts": interfaces(2, "interface "),
    "document-3.ts": interfaces(3, "interface Settings"),
    "document-4.ts": interfaces(4, "interface "),
    "checks.ts": CHECKS,
    "serialize.ts": program(2, "Then serialize to text"),
    "set-result.ts": program(2, "event.setResult"),
    "set-summarize.ts": program(2, "event.setSummarize"),
    "session.ts": program(2, "session."),
    "before-compact.ts": program(4, '"session_before_compact"'),
    "before-tree.ts": program(4, '"session_before_tree"'),
  };
  expect(checkTypes(modules)).toBe("");
});

test("SRC3 the type check reports a property that our types do not have", () => {
  const wrong =
    'import type { CompactionEntry } from "@pith/context";\nexport const entry: CompactionEntry["nothing"] = 1;\n';
  expect(checkTypes({ "wrong.ts": wrong })).toContain("Property 'nothing' does not exist");
});
