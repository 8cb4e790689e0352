/** Compacts around an entry of the tree: everything after it, everything before it, or the last summary again from the originals. */

import type { CompactRequest } from "@pith/agent";
import type { CompactionPreview } from "@pith/context";
import { entryReference } from "@pith/context/host";
import { formatCount } from "@pith/host/text/format";
import { escapeControls } from "@pith/host/text/safe-text";
import type { UsageError } from "@pith/host/text/usage-error";
import { findReplacedEntries, planCompaction, type ReplacedEntries } from "../../../../commands/compact-request.ts";
import type { InteractiveContext } from "../../screen-context.ts";
import { createChoicePanel, type Option } from "../choice.ts";
import { compactFromEntry, confirmCompaction } from "../compaction.ts";
import type { Panel } from "../panel.ts";
import type { ListPosition } from "../widgets.ts";
import { finishWithNote, type NavigateOutcome } from "./navigate.ts";

/** Asks what to summarize, shows a preview, and compacts. */
export async function compactAtEntry(id: string, context: InteractiveContext): Promise<NavigateOutcome> {
  const { app, screen } = context;
  const { session } = app.agent;
  const entry = await session.store.entry(id);
  if (!entry) return finishWithNote("This entry is no longer in the session.", screen);
  const upTo = { firstKeptEntryId: id };
  const plan = await planCompaction(app.agent, upTo);
  const options = {
    reference: entryReference(entry),
    replaced: await findReplacedEntries(entry, session),
    plan,
    isCompacted: session.branch.compactionIndex !== -1,
  };
  const obstacles = describeObstacles(options);
  if (obstacles.length === 2 && !options.isCompacted)
    return finishWithNote(`Nothing can be compacted there. ${obstacles.join(" ")}`, screen);
  const choice = await screen.showPanel(createCompactQuestion(options), { where: "inline", question: "follow-up" });
  switch (choice) {
    case null:
      return "cancelled";
    case "from":
      return await compactFromEntry(entry, { focus: "", isAtOnce: false }, context);
    case "up-to":
      return await confirmPlan(plan, upTo, context);
    case "originals":
      return await confirmPlan(await planCompaction(app.agent, ORIGINALS), ORIGINALS, context);
  }
}

const ORIGINALS: CompactRequest = { fromOriginals: true };

async function confirmPlan(
  plan: CompactionPreview,
  request: CompactRequest,
  context: InteractiveContext,
): Promise<NavigateOutcome> {
  if (plan.type !== "planned") return finishWithNote("There is nothing to compact.", context.screen);
  return (await confirmCompaction(plan, request, context)) ? "done" : "cancelled";
}

type CompactChoice = "from" | "up-to" | "originals";

export interface CompactQuestionOptions {
  readonly reference: string;
  readonly replaced: ReplacedEntries | UsageError;
  readonly plan: CompactionPreview;
  /** Whether the branch has a compaction whose summary can be written again. */
  readonly isCompacted: boolean;
}

/** Offers only what is possible, and says why the rest is not. */
export function createCompactQuestion(options: CompactQuestionOptions): Panel<ListPosition, CompactChoice> {
  const { reference, replaced, plan, isCompacted } = options;
  const choices: readonly Option<CompactChoice>[] = [
    ...(replaced.type === "found"
      ? [
          {
            key: "f",
            label: "From here",
            description: `a summary replaces ${formatCount(replaced.count, "entry", "entries")} ${replaced.place}`,
            value: "from" as const,
          },
        ]
      : []),
    ...(plan.type === "planned"
      ? [
          {
            key: "u",
            label: "Up to here",
            description: `a summary replaces ${formatCount(plan.receipt.covered.count, "entry", "entries")} before ${reference}`,
            value: "up-to" as const,
          },
        ]
      : []),
    ...(isCompacted
      ? [
          {
            key: "o",
            label: "Rewrite from the originals",
            description: "replace the last summary",
            value: "originals" as const,
          },
        ]
      : []),
  ];
  return createChoicePanel<CompactChoice>({
    title: `Compact at ${reference}`,
    body: ({ theme }) => [
      ...describeObstacles(options).map((text) => theme.dim(` ${escapeControls(text)}`)),
      theme.dim(" A preview follows before anything is changed · Esc back"),
    ],
    options: choices,
  });
}

/** Why the session cannot be compacted from here, and why not up to here. */
function describeObstacles({ replaced, plan }: CompactQuestionOptions): readonly string[] {
  return [
    ...(replaced.type === "mistake" ? [`Can't compact from here: ${replaced.message}.`] : []),
    ...(plan.type === "planned"
      ? []
      : [`Can't compact up to here: ${plan.type === "invalid-cut" ? plan.note : "there is nothing to compact"}.`]),
  ];
}
