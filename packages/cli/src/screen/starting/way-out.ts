/** What to do when the model cannot be asked: for people, behind why it could not. Pure. */

import type { RunEnd } from "@pith/agent";

type Failed = Extract<RunEnd, { type: "failed" }>;

export function withWayOut({ why, code }: Failed): string {
  const way = code && ways[code];
  return way ? `${why}\n${way}` : why;
}

const ways: Readonly<Partial<Record<NonNullable<Failed["code"]>, string>>> = {
  "key-refused":
    "The key is not taken: mend it in its variable or in ~/.pith/keys.json, then start again; or /model for somebody else. pith doctor shows which keys are found.",
  unreachable:
    "Nothing is lost: say it again when the network or the server is there, or /model for somebody else. pith doctor shows what is wrong here.",
};
