/** A talk with a branch to leave, for tests of going elsewhere. */

import type { Step } from "@pith/testkit";
import { all, atRest } from "../../editor/at-work.ts";
import { type TalkOn, type TalkWish, talkOn } from "../../talk-on.ts";

export const UP = "\x1b[A";
export const DOWN = "\x1b[B";
export const ENTER = "\r";
export const ESC = "\x1b";

/** What a model writes of a branch that is left. */
export const summary: string = [
  "## Goal\n- try it\n\n## Constraints & Preferences\n- (none)\n\n## Progress\n### Done\n- (none)\n\n",
  "### In Progress\n- [ ] the second way\n\n### Blocked\n- (none)\n\n## Key Decisions\n- (none)\n\n## Next Steps\n1. go on",
].join("");

/** Two exchanges: `first` and `second` were said, and answered. */
export async function twoExchanges(script: readonly Step[], wish: TalkWish = {}): Promise<TalkOn> {
  const talk = await talkOn(["answer one", "answer two", ...script], all(wish));
  await exchange(talk, "first", "answer one");
  await exchange(talk, "second", "answer two");
  return talk;
}

export async function exchange(talk: TalkOn, words: string, answer: string): Promise<void> {
  talk.say(words);
  await talk.sees(answer);
  await atRest(talk);
}

/** The tree is open, and all of it was read. */
export async function openTree(talk: TalkOn, command = "/tree"): Promise<void> {
  talk.say(command);
  await talk.sees(/\d+ entries(?! so far)/);
}

/** The picture there is now. */
export async function picture(talk: TalkOn): Promise<string> {
  return (await talk.terminal.screen()).join("\n");
}

/** When the picture shows it; what was there before does not count. */
export async function shows(talk: TalkOn, text: string | RegExp): Promise<string> {
  for (const end = Date.now() + 300_000; ; ) {
    const seen = await picture(talk);
    if (typeof text === "string" ? seen.includes(text) : text.test(seen)) return seen;
    if (Date.now() > end) throw new Error(`it never came: ${text}\n${seen}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
