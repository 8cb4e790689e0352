/** The three questions an extension can ask, on a screen: what is shown is concealed, and what comes back is what it gave. */

import type { ExtensionUi, UiAsking } from "@pith/agent";
import type { Redaction } from "@pith/context";
import type { Panel } from "../../panels/panel.ts";
import type { Stage } from "../../stage.ts";
import { type AskedParts, askedOn, ending } from "./asked-on.ts";

export interface QuestionParts extends Pick<AskedParts<unknown, unknown>, "turns" | "notifier"> {
  readonly redacted: Redaction["redacted"];
  /** The session was left. */
  readonly left: AbortSignal;
}

export function questionsOn(
  stage: Stage,
  { redacted, left, turns, notifier }: QuestionParts,
): Pick<ExtensionUi, "select" | "confirm" | "input"> {
  const asked = <State, Answer>(title: string, panel: Making<State, Answer>, asking: UiAsking = {}) =>
    askedOn(stage, { title, panel: async () => panel(await panels()), turns, notifier }, ending(asking, left));
  return {
    select: async (given, options, asking) => {
      const title = redacted(given);
      const labels = options.slice(0, MOST_OPTIONS).map((option) => redacted(option));
      if (labels.length === 0) return undefined;
      const isFew = labels.length <= FEW;
      const few = isFew ? await asked(title, ({ fewPanel }) => fewPanel(title, labels), asking) : null;
      const many = isFew ? null : await asked(title, ({ manyPanel }) => manyPanel(title, labels), asking);
      return options[few ?? many?.value ?? -1];
    },
    confirm: async (given, message, asking) => {
      const [title, more] = [redacted(given), redacted(message)];
      return (await asked(title, ({ confirmPanel }) => confirmPanel(title, more), asking)) ?? false;
    },
    input: async (given, placeholder = "", asking = {}) => {
      const [title, such] = [redacted(given), redacted(placeholder)];
      return (await asked(title, ({ inputPanel }) => inputPanel(title, such), asking)) ?? undefined;
    },
  };
}

/** Those that stand on any screen. */
const FEW = 6;
const MOST_OPTIONS = 1_000;

type Making<State, Answer> = (from: Awaited<ReturnType<typeof panels>>) => Panel<State, Answer>;

/** Loaded when somebody asks. */
async function panels() {
  return await import("../../panels/extending/questions.ts");
}
