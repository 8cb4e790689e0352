/** Lists what the user has said and the model can read now (pins, lines of the summary, messages), and what it cannot. */

import { isFromUser, splitUserEntry } from "../context/entry-text.ts";
import { entryReference } from "../entry.ts";
import type { LoadedBranch } from "../session/loaded-branch.ts";
import type { Pin } from "../session/state.ts";
import { findCarryingLines } from "../summary/carried-lines.ts";
import { noPreviousSummary, readPreviousSummary, stripLineMarkup } from "../summary/parse-summary.ts";
import { readPreviousRequest } from "./latest-request.ts";
import { type HiddenMessages, type MessageStub, readOmittedMessages } from "./omitted-messages.ts";
import { readPreviousMessages } from "./user-messages.ts";

/** What the user has said on a branch, as far as the model can read it. */
export interface UserRules {
  readonly pins: readonly Pin[];
  /** Lines of the summary that carry over messages which are not shown word for word any more. */
  readonly carriedLines: readonly CarriedRule[];
  /** Messages in the context, oldest first. `[…]` stands for sentences that the lines carry over. */
  readonly messages: readonly ShownMessage[];
  /** Messages that are shown by their first words. */
  readonly stubs: readonly Pick<MessageStub, "reference" | "line">[];
  /** Messages that are only counted. */
  readonly hidden: HiddenMessages;
}

/** A line of the summary in place of messages. */
export interface CarriedRule {
  /** The line without its list mark and citations. */
  readonly text: string;
  /** The references of the messages that it carries over. */
  readonly references: readonly string[];
}

/** A message that the model can read. */
export interface ShownMessage {
  readonly reference: string;
  /** The typed text. */
  readonly text: string;
}

/** Lists the rules of the user on a branch. */
export function listUserRules(branch: LoadedBranch): UserRules {
  const compaction = branch.entries[branch.compactionIndex];
  const previous = compaction?.type === "compaction" ? readPreviousSummary(compaction) : noPreviousSummary;
  const { carried, stubs, hidden } = readOmittedMessages(previous);
  const request = readPreviousRequest(previous);
  const covered = [...readPreviousMessages(previous), ...(request?.isPerson ? [request] : [])];
  const kept = branch.entries.filter((entry) => isFromUser(entry, branch.edits));
  return {
    pins: branch.state.pins,
    carriedLines: findCarryingLines(previous.narrative).flatMap(({ text, references }) => {
      const carriedReferences = references.filter((reference) => carried.includes(reference));
      return carriedReferences.length === 0 ? [] : [{ text: stripLineMarkup(text), references: carriedReferences }];
    }),
    messages: [
      ...covered.map(({ reference, text }) => ({ reference, text })),
      ...kept.map((entry) => ({
        reference: entryReference(entry),
        text: splitUserEntry(entry, branch.edits).typed,
      })),
    ],
    stubs,
    hidden,
  };
}
