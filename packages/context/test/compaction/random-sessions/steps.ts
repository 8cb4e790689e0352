/** Generates the steps of a session that fills up: messages of any size, and compactions of every kind in between. */

import fc from "fast-check";
import type { CompactionTrigger } from "../../../src/compaction/receipt.ts";
import type { Command } from "../../properties/commands.ts";

export type Step =
  | { readonly do: "append"; readonly command: Command; readonly letters: number; readonly kind: number }
  | { readonly do: "fit"; readonly fit: Fit }
  | { readonly do: "undo" | "redo" }
  | { readonly do: "pin"; readonly which: number; readonly entry: boolean }
  | { readonly do: "unpin"; readonly which: number }
  | { readonly do: "move" | "leave"; readonly which: number };

export interface Fit {
  readonly contextWindow: number;
  readonly reason: CompactionTrigger;
  readonly attempt: number;
  /** Of the window: what is sent besides the log. */
  readonly fixed: number;
  readonly writers: readonly WriterKind[];
  /** At which call of a summarizer or hook the user aborts; 0: never. */
  readonly abort: number;
}

/** `forgetful` leaves entries out, `moving` is overtaken by an append, `late` by a move. */
export const writerKinds = [
  "empty",
  "throws",
  "fails",
  "endless",
  "story",
  "forgetful",
  "nothing",
  "hook-wrong-id",
  "hook-nonsense",
  "hook-hangs",
  "hook-own-cut",
  "overtaken",
  "left-behind",
] as const;
export type WriterKind = (typeof writerKinds)[number];

const which = fc.nat(1000);
const yes = fc.boolean();
const model = fc.nat(3);
const text = fc.constantFrom("some words", "", "</summary>", "漢字", '{"a": [1, 2]}', "E404 not found", "\ud800");

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant("user" as const), text }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("say" as const), text, hasThinking: yes, model }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("call" as const),
      count: fc.integer({ min: 1, max: 3 }),
      sameId: yes,
      hasThinking: yes,
      model,
    }),
  },
  { weight: 12, arbitrary: fc.record({ do: fc.constant("result" as const), which, text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("fail" as const), aborted: yes }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("bash" as const), hidden: yes, text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("note" as const), text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("system" as const), text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("label" as const), which, clear: yes }) },
  { weight: 1, arbitrary: fc.constant({ do: "set-model" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unknown" as const), text }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("compact" as const), which, edits: fc.nat(2), keepNothing: yes }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("edit" as const), which, drop: yes }) },
);

/** Mostly short, sometimes a long output, seldom more than any small window holds. */
const letters = fc.oneof(
  { weight: 16, arbitrary: fc.nat(600) },
  { weight: 4, arbitrary: fc.nat(6_000) },
  { weight: 1, arbitrary: fc.nat(40_000) },
);

const fit: fc.Arbitrary<Fit> = fc.record({
  contextWindow: fc.constantFrom(8_000, 8_000, 16_000, 32_000, 128_000, 1_000_000),
  reason: fc.constantFrom(
    "asked" as const,
    "due" as const,
    "due" as const,
    "overflow" as const,
    "model-switch" as const,
  ),
  attempt: fc.constantFrom(0, 0, 0, 1, 2, 3, 4),
  fixed: fc.constantFrom(0, 0, 0, 0.3, 0.5, 0.7, 0.9, 1.2),
  writers: fc.array(fc.constantFrom(...writerKinds), { maxLength: 2 }),
  abort: fc.constantFrom(0, 0, 0, 0, 1, 2),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 30, arbitrary: fc.record({ do: fc.constant("append" as const), command, letters, kind: fc.nat(5) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant("fit" as const), fit }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("undo" as const, "redo" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("pin" as const), which, entry: yes }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unpin" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("move" as const, "leave" as const), which }) },
);

export const fullSessionSteps: fc.Arbitrary<readonly Step[]> = fc.oneof(
  { weight: 14, arbitrary: fc.array(step, { minLength: 5, maxLength: 20, size: "max" }) },
  { weight: 1, arbitrary: fc.array(step, { maxLength: 80, size: "max" }) },
);
