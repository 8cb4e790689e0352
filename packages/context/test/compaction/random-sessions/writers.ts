/** Creates summarizers as they are in practice: empty, failing, endless, forgetful, overtaken. None of them may spoil a session. */

import type { CompactionPlan, Summarizer, SummaryCandidate } from "../../../src/compaction/plan.ts";
import type { CompactionHooks } from "../../../src/compaction-hooks/compaction-hooks.ts";
import type { CompactOptions } from "../../../src/default-compaction.ts";
import type { Usage } from "../../../src/message.ts";
import type { Session } from "../../../src/session/session.ts";
import { emptyUsage } from "../../../src/testing/story.ts";
import type { WriterKind } from "./steps.ts";

const paid: Usage = { ...emptyUsage, input: 100, totalTokens: 100, cost: { ...emptyUsage.cost, total: 0.01 } };

type BeforeCompact = NonNullable<CompactionHooks["session_before_compact"]>[number];

/** Hooks are asked before all writers; each of either counts as one that was asked. */
export function writing(
  kinds: readonly WriterKind[],
  session: Session,
  onWrite: () => void,
): Pick<CompactOptions, "summarizers" | "hooks"> {
  const hooks = kinds.flatMap((kind) => hookOf(kind));
  return {
    summarizers: kinds.flatMap((kind) => {
      const writer = plainWriter(kind, session);
      return writer ? [counted(writer, onWrite)] : [];
    }),
    hooks: {
      session_before_compact: hooks.map((hook) => (event) => {
        onWrite();
        return hook(event);
      }),
    },
  };
}

function counted(writer: Summarizer, onWrite: () => void): Summarizer {
  return {
    ...writer,
    summarize(plan, act) {
      onWrite();
      return writer.summarize(plan, act);
    },
  };
}

function plainWriter(kind: WriterKind, session: Session): Summarizer | null {
  switch (kind) {
    case "empty":
      return made(kind, () => "  \n");
    case "endless":
      return made(kind, () => "and so on ".repeat(50_000));
    case "story":
      return made(kind, (plan) => `A story of ${plan.covered.length} entries.`);
    case "forgetful":
      return made(
        kind,
        () => "I forgot something.",
        (ids) => ids.slice(0, -1),
      );
    case "throws":
      return { name: kind, isPaid: true, summarize: () => Promise.reject(new Error("no connection")) };
    case "fails":
      return {
        name: kind,
        isPaid: true,
        summarize: () => ({ type: "failed", why: "refused", calls: [{ usage: paid }] }),
      };
    case "nothing":
      return { name: kind, isPaid: false, summarize: () => ({ type: "nothing" }) };
    case "overtaken":
      return made(kind, async () => {
        await session.append({ type: "message", message: { role: "user", content: "meanwhile", timestamp: 1 } });
        return "A story of what was before.";
      });
    case "left-behind":
      return made(kind, async (plan) => {
        await session.move(plan.branch.entries[0]?.id ?? null);
        return "A story of another branch.";
      });
    case "hook-wrong-id":
    case "hook-nonsense":
    case "hook-hangs":
    case "hook-own-cut":
      return null;
  }
}

function hookOf(kind: WriterKind): readonly BeforeCompact[] {
  switch (kind) {
    case "hook-wrong-id":
      return [() => ({ compaction: { summary: "mine", firstKeptEntryId: "nobody" } })];
    case "hook-nonsense":
      return [(() => ({ compaction: { summary: 7, firstKeptEntryId: [] } })) as unknown as BeforeCompact];
    case "hook-hangs":
      return [() => new Promise(() => {})];
    case "hook-own-cut":
      return [
        ({ branchEntries, preparation: { firstKeptEntryId } }) => {
          const at = Math.floor(branchEntries.length / 2);
          return { compaction: { summary: "mine", firstKeptEntryId: branchEntries[at]?.id ?? firstKeptEntryId } };
        },
      ];
    default:
      return [];
  }
}

function made(
  route: string,
  story: (plan: CompactionPlan) => string | Promise<string>,
  chosen: (ids: readonly string[]) => readonly string[] = (ids) => ids,
): Summarizer {
  return {
    name: route,
    isPaid: true,
    async summarize(plan) {
      const covers = new Set(chosen(plan.covered.map(({ id }) => id)));
      const candidate: SummaryCandidate = {
        route,
        narrative: await story(plan),
        notes: "",
        covers,
        calls: [{ usage: paid }],
      };
      return { type: "written", candidate };
    },
  };
}
