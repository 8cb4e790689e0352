/** All that a screen shows and that is not the editor: a pure fold of what happened. */

import type { CompactionReason } from "@pith/agent";
import type { Keymap } from "../keys/keymap.ts";
import type { Block, ShellLine } from "./block.ts";
import type { Facts } from "./facts.ts";
import { noSigns, type Signs } from "./signs.ts";

export interface ScreenState {
  /** What is not printed yet, oldest first. */
  readonly blocks: readonly Block[];
  /** How many blocks were given an id here, since they had none of an entry or call. */
  readonly serial: number;
  /** What was printed last, just above the first of the blocks; null for nothing. */
  readonly above: Block["kind"] | null;
  /** Whether folded blocks are shown whole. */
  readonly isUnfolded: boolean;
  readonly work: Work;
  /** Shell lines of the user's own that are not in the log yet: they stand below all that is. */
  readonly shell: readonly ShellLine[];
  /** What waits to be heard, each in one line. */
  readonly queue: { readonly steering: readonly string[]; readonly followUp: readonly string[] };
  /** What the footer tells. */
  readonly facts: Facts;
  /** What extensions show. */
  readonly signs: Signs;
  /** One line for who is new, or who has just done something. */
  readonly hint: string | null;
  /** Which key does what, for hints that name one; absent: as usual. */
  readonly keymap?: Keymap;
}

/** What is under way. */
export type Work =
  | { readonly type: "idle" }
  | {
      readonly type: "running";
      readonly since: number;
      readonly doing: "thinking" | "answering" | "working";
      /** Of the newest reply, so far. */
      readonly letters: number;
    }
  | { readonly type: "retrying"; readonly since: number; readonly why: string; readonly at: number }
  | {
      readonly type: "compacting";
      readonly since: number;
      readonly reason: CompactionReason;
      /** For people, e.g. `tells it in short, 1,200 tokens so far`. */
      readonly step: string;
      /** In the middle of a run, which goes on afterwards. */
      readonly isWithinRun?: true;
    }
  | { readonly type: "summarising"; readonly since: number; readonly step: string };

/** Before anything is known. */
export const nothingShown: ScreenState = {
  blocks: [],
  serial: 0,
  above: null,
  isUnfolded: false,
  work: { type: "idle" },
  shell: [],
  queue: { steering: [], followUp: [] },
  facts: {
    model: "",
    thinking: "",
    folder: "",
    gitBranch: null,
    sessionName: null,
    place: null,
    cost: null,
    isSandboxed: null,
    mode: null,
    meter: null,
  },
  signs: noSigns,
  hint: null,
};
