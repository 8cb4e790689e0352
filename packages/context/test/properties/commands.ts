/** What can happen to a session, as plain data: a session must survive any list of these. */

import fc from "fast-check";

export type Command =
  | { readonly do: "user"; readonly text: string }
  | { readonly do: "say"; readonly text: string; readonly hasThinking: boolean; readonly model: number }
  | {
      readonly do: "call";
      readonly count: number;
      readonly sameId: boolean;
      readonly hasThinking: boolean;
      readonly model: number;
    }
  | { readonly do: "result"; readonly which: number; readonly text: string }
  | { readonly do: "fail"; readonly aborted: boolean }
  | { readonly do: "bash"; readonly hidden: boolean; readonly text: string }
  | { readonly do: "note"; readonly text: string }
  | { readonly do: "system"; readonly text: string }
  | { readonly do: "label"; readonly which: number; readonly clear: boolean }
  | { readonly do: "set-model" }
  | { readonly do: "set-thinking" }
  | { readonly do: "unknown"; readonly text: string }
  | { readonly do: "compact"; readonly which: number; readonly edits: number; readonly keepNothing: boolean }
  | { readonly do: "edit"; readonly which: number; readonly drop: boolean }
  | { readonly do: "move"; readonly which: number }
  | { readonly do: "leave"; readonly which: number }
  | { readonly do: "fork"; readonly which: number }
  | { readonly do: "reopen" }
  | { readonly do: "crash"; readonly bytes: number }
  | { readonly do: "clock"; readonly by: number }
  | {
      readonly do: "fault";
      readonly kind: "full" | "error" | "die" | "power";
      /** How many acts on the disk before it happens. */
      readonly after: number;
      readonly seed: number;
    }
  | { readonly do: "rival"; readonly takeOver: boolean };

const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 12 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      "",
      " ",
      "\n",
      "\u0000",
      "\u2028",
      '","crc":"00000000"}',
      "\ud800",
      "a\udc00b",
      '\\"]}',
      "漢字",
      "😀",
    ),
  },
);
const which = fc.nat(1000);
const model = fc.nat(3);
const yes = fc.boolean();

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("user" as const), text }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("say" as const), text, hasThinking: yes, model }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("call" as const),
      count: fc.integer({ min: 1, max: 3 }),
      sameId: yes,
      hasThinking: yes,
      model,
    }),
  },
  { weight: 8, arbitrary: fc.record({ do: fc.constant("result" as const), which, text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("fail" as const), aborted: yes }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("bash" as const), hidden: yes, text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("note" as const), text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("system" as const), text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("label" as const), which, clear: yes }) },
  { weight: 1, arbitrary: fc.constant({ do: "set-model" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "set-thinking" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("unknown" as const), text }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("compact" as const), which, edits: fc.nat(2), keepNothing: yes }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("edit" as const), which, drop: yes }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("move" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("leave" as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("fork" as const), which }) },
  { weight: 1, arbitrary: fc.constant({ do: "reopen" as const }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const), bytes: fc.nat(400) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("clock" as const), by: fc.integer({ min: -4e10, max: 4e10 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("fault" as const),
      kind: fc.constantFrom("full" as const, "error" as const, "die" as const, "power" as const),
      after: fc.nat(12),
      seed: fc.nat(2 ** 30),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("rival" as const), takeOver: yes }) },
);

/** Mostly short, some of up to 200 commands. */
export const commandSequences: fc.Arbitrary<readonly Command[]> = fc.oneof(
  { weight: 16, arbitrary: fc.array(command, { minLength: 1, maxLength: 20, size: "max" }) },
  { weight: 3, arbitrary: fc.array(command, { maxLength: 60, size: "max" }) },
  { weight: 1, arbitrary: fc.array(command, { maxLength: 200, size: "max" }) },
);
