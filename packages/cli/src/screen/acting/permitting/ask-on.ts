/** Whoever sits before the screen is asked: what it is about is shown first, and all of it where they want to see it. */

import type { Answer, Ask, Question } from "@pith/agent";
import type { Notifier } from "../../notifying/notifier.ts";
import type { Matter } from "../../panels/permitting/matter.ts";
import type { QuestionAnswer } from "../../panels/permitting/question-panel.ts";
import type { QuestionState } from "../../panels/permitting/question-rows.ts";
import type { Stage } from "../../stage.ts";
import { stop } from "../stopping/stop.ts";
import type { Talking } from "../talking.ts";

export interface AskParts {
  /** Null before it is open; then nothing is asked either. */
  readonly talking: () => Talking | null;
  readonly notifier?: Pick<Notifier, "waits" | "quietFor"> | undefined;
}

/** One question at a time comes here: the permissions see to that. */
export function askOn(stage: Stage, { talking, notifier }: AskParts): Ask {
  return async (question, { signal }) => {
    const open = talking();
    if (!open) return { type: "no" };
    const { matterOf } = await import("./matter-of.ts");
    const matter = await matterOf(question, open.ready.place, signal);
    const enough = notifier?.waits(question.text);
    try {
      const answer = await answerTo({ question, matter, signal, quietMs: quietMs(notifier) }, stage);
      // Whoever leaves a question without an answer wants no more of it.
      if (answer === null && !signal.aborted) stop(open);
      return answer ?? { type: "no" };
    } finally {
      enough?.();
    }
  };
}

/** Somebody who has typed within this time may still be typing. */
const QUIET_MS = 700;

function quietMs(notifier: AskParts["notifier"]): number {
  return notifier && notifier.quietFor() < QUIET_MS ? QUIET_MS : 0;
}

interface Asking {
  readonly question: Question;
  readonly matter: Matter;
  readonly signal: AbortSignal;
  readonly quietMs: number;
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
    import("../../panels/permitting/text-page.ts"),
    import("../../panels/permitting/matter.ts"),
  ]);
  const page = textPage({ title: question.text, lines: (sight) => matterLines(matter, sight) });
  await stage.ask(page, { where: "page", signal });
}
