/** The questions before a compaction that nobody asked for: because it is full, or because the next model sees less. */

import { amount } from "../../../printing/amounts.ts";
import type { Walk } from "../../widgets/list.ts";
import { choice } from "../choice.ts";
import type { Panel } from "../panel.ts";

export type Consent = "now" | "later" | "never";

export interface Consenting {
  readonly tokens: number;
  readonly limit: number;
  /** Tokens that stay as they were said. */
  readonly keeps: number;
  /** After which it is done without an answer. */
  readonly seconds: number;
  /** Whether there is room to wait. */
  readonly mayWait: boolean;
}

/** Whether it is made small enough for who shall speak; yes or no. */
export function askBeforeSwitch({ tokens, seconds }: Pick<Consenting, "tokens" | "seconds">): Panel<Walk, boolean> {
  return choice<boolean>({
    title: "The next model sees less at once. Compact the context for it?",
    body: ({ theme }) => [
      theme.dim(` ${amount(tokens)} tokens are too many for it. Who speaks now tells in short what is old;`),
      theme.dim(" your words and pins stay, and you can undo it."),
      theme.dim(` Without an answer in ${seconds} seconds nothing changes.`),
    ],
    options: [
      { key: "y", label: "Compact, then change the model", value: true },
      { key: "n", label: "No", says: "who speaks now speaks on", value: false },
    ],
  });
}

export function askBefore({ tokens, limit, keeps, seconds, mayWait }: Consenting): Panel<Walk, Consent> {
  return choice<Consent>({
    title: "The context is full. Compact it now?",
    body: ({ theme }) => [
      theme.dim(` ${amount(tokens)} of ${amount(limit)} tokens. The newest ${amount(keeps)} stay as they were said;`),
      theme.dim(" all before is told in short, and your words and pins stay. You can undo it."),
      ...(mayWait
        ? []
        : [
            theme.warning(" There is no room to wait: the next request may be refused as too long,"),
            theme.warning(" and then it is compacted all the same."),
          ]),
      theme.dim(` Without an answer it is done in ${seconds} seconds.`),
    ],
    options: [
      { key: "y", label: "Compact now", value: "now" },
      { key: "n", label: "Not now", says: "you are asked again when it has grown", value: "later" },
      // It comes unasked, perhaps in the middle of a word: what switches something off is no small letter.
      { key: "N", label: "Never in this session", says: "/autocompact on takes that back", value: "never" },
    ],
  });
}
