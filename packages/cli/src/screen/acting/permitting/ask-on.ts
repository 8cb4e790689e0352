/** Whoever sits before the screen is asked: what it is about is shown first, and all of it where they want to see it. */

import type { Answer, Ask } from "@pith/agent";
import type { Notifier } from "../../notifying/notifier.ts";
import type { QuestionAnswer, QuestionParts } from "../../panels/permitting/question-panel.ts";
import type { QuestionState } from "../../panels/permitting/question-rows.ts";
import type { Stage } from "../../stage.ts";
import type { Turns } from "../extending/turns.ts";
import { stop } from "../stopping/stop.ts";
import { survived } from "../survived.ts";
import type { Talking } from "../talking.ts";

export interface AskParts {
  /** Null before it is open; then nothing is asked either. */
  readonly talking: () => Talking | null;
  readonly notifier?: Pick<Notifier, "waits"> | undefined;
  /** Whatever extensions ask waits for it. */
  readonly turns?: Turns;
}

/** One question at a time comes here: the permissions see to that. */
export function askOn(stage: Stage, { talking, notifier, turns }: AskParts): Ask {
  return async (question, { signal }) => {
    const open = talking();
    if (!open) return { type: "no" };
    const enough = notifier?.waits(question.text);
    let answer = { type: "no" } as Answer | null;
    const act = async (): Promise<void> => {
      const { matterOf } = await import("./matter-of.ts");
      const matter = await matterOf(question, open.ready.place, signal);
      answer = await answerTo({ question, matter, signal, ...(notifier && earlyKeys(stage)) }, stage);
    };
    // A question that cannot be shown is a no.
    const asked = (): Promise<void> => survived(act, open);
    await (turns ? turns.atOnce(asked) : asked()).finally(enough);
    // Whoever leaves a question without an answer wants no more of it.
    if (answer === null && !signal.aborted) stop(open);
    return answer ?? { type: "no" };
  };
}

/** Whoever has words in the editor may still be typing; nobody else can have read the question in less than a moment. */
function earlyKeys({ words }: Stage): Pick<QuestionParts, "quietMs" | "isTyping"> {
  return words.text === "" ? { quietMs: 300 } : { quietMs: 700, isTyping: true };
}

interface Asking extends QuestionParts {
  readonly signal: AbortSignal;
}

async function answerTo(asking: Asking, stage: Stage): Promise<Answer | null> {
  const { questionPanel } = await import("../../panels/permitting/question-panel.ts");
  for (let at: QuestionState | null = null; ; ) {
    const panel = questionPanel({ ...asking, ...(at && { at }) });
    const answer: QuestionAnswer | null = await stage.ask(panel, { where: "inline", signal: asking.signal });
    if (answer?.type !== "whole") return answer;
    at = answer.at;
    await showWhole(asking, stage);
  }
}

async function showWhole({ question, matter, signal }: Asking, stage: Stage): Promise<void> {
  const [{ textPage }, { matterLines }] = await Promise.all([
    import("../../panels/reading/text-page.ts"),
    import("../../panels/permitting/matter.ts"),
  ]);
  const page = textPage({ title: question.text, lines: (sight) => matterLines(matter, sight) });
  await stage.ask(page, { where: "page", signal });
}
