/** The question before a compaction that nobody asked for. */

import { amount } from "../../../subcommands/sessions/wording/amounts.ts";
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
      { key: "x", label: "Never in this session", says: "/autocompact on takes that back", value: "never" },
    ],
  });
}
