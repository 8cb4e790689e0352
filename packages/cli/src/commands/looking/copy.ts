/** `/copy`: an answer, or the code in it, to be taken elsewhere. On a screen it goes to the clipboard. */

import { mistake } from "../../asking/mistake.ts";
import { told } from "../answers.ts";
import type { Answer, Command, Desk } from "../command.ts";
import { lastCode } from "./last-code.ts";
import { nthAnswer } from "./nth-answer.ts";

export const copy: Command = {
  name: "copy",
  takes: "[n] [code]",
  says: "the last answer to the clipboard, the n-th last, or the last code in it; printed where there is no screen",
  examples: ["/copy", "/copy 2", "/copy code"],
  run: textToCopy,
};

/** Told with the very text. */
export async function textToCopy(words: string, { agent: { session } }: Pick<Desk, "agent">): Promise<Answer> {
  const [, number = "1", code] = WISH.exec(words) ?? [];
  if (!WISH.test(words) || Number(number) < 1)
    return mistake("/copy takes a number, such as 2 for the answer before the last, or code, or both");
  const answer = await nthAnswer(Number(number), session);
  if (answer === null) return mistake(number === "1" ? "there is no answer yet" : `there are not ${number} answers`);
  const text = code === undefined ? answer : lastCode(answer);
  if (text === null) return mistake("there is no code in this answer; /copy takes all of it");
  return told(text, { text });
}

const WISH = /^(?:(\d{1,6}))?\s*(code)?$/;
