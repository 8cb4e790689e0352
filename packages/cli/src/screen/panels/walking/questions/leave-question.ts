/** What becomes of a branch when one leaves it: told where one goes or not, or left alone by a session of its own. */

import { counted } from "../../../../printing/amounts.ts";
import type { Walk } from "../../../widgets/list.ts";
import { type Choice, choice } from "../../choice.ts";
import type { Panel } from "../../panel.ts";

export type Leaving = "just-go" | "tell" | "tell-with-focus" | "fork";

export interface LeaveParts {
  /** Entries that are left, as far as people see them. */
  readonly count: number;
  /** Whether a session of its own can be made. */
  readonly canFork: boolean;
  /** Whether there is somebody who could write a summary. */
  readonly canTell: boolean;
}

export function leaveQuestion({ count, canFork, canTell }: LeaveParts): Panel<Walk, Leaving> {
  const told = `${counted(count, "entry stays", "entries stay")} behind on this branch`;
  return choice<Leaving>({
    title: canTell ? "Summarise what you leave?" : "Leave this branch?",
    body: ({ theme }) => [theme.dim(` ${told} · Esc stays`)],
    options: [
      { key: "n", label: canTell ? "No, just go" : "Go", says: "the branch stays in the tree", value: "just-go" },
      ...(canTell ? telling : []),
      ...(canFork ? [{ key: "k", label: "Fork instead", says: FORK, value: "fork" as const }] : []),
    ],
  });
}

const telling: Choice<Leaving>["options"] = [
  { key: "y", label: "Yes", says: "a summary of it stands where you go on", value: "tell" },
  { key: "f", label: "Yes, with a focus …", says: "you say what matters", value: "tell-with-focus" },
];

const FORK = "a new session from there; this one stays as it is";
