/** What extensions ask and show, and what permissions ask, as lines to the other program. */

import type { Answer, Ask, ExtensionUi, Question, Rule, UiAsking } from "@pith/agent";
import type { Questions, Waiting } from "./questions.ts";

export function rpcUi(questions: Questions): ExtensionUi {
  return {
    select: async (title, options, asking = {}) => {
      const replied = await questions.ask({ method: "select", title, options, ...timed(asking) }, waiting(asking));
      return replied && "value" in replied ? replied.value : undefined;
    },
    confirm: async (title, message, asking = {}) => {
      const replied = await questions.ask({ method: "confirm", title, message, ...timed(asking) }, waiting(asking));
      return replied !== null && "confirmed" in replied && replied.confirmed;
    },
    input: async (title, placeholder, asking = {}) => {
      const hint = placeholder === undefined ? {} : { placeholder };
      const replied = await questions.ask({ method: "input", title, ...hint, ...timed(asking) }, waiting(asking));
      return replied && "value" in replied ? replied.value : undefined;
    },
    notify: (message, type = "info") => questions.show({ method: "notify", message, notifyType: type }),
    setStatus: (statusKey, text) =>
      questions.show({ method: "setStatus", statusKey, ...(text !== undefined && { statusText: text }) }),
    setWidget: (widgetKey, lines) =>
      questions.show({ method: "setWidget", widgetKey, ...(lines && { widgetLines: lines }) }),
  };
}

function timed({ timeout }: UiAsking): { readonly timeout?: number } {
  return timeout === undefined ? {} : { timeout };
}

function waiting({ signal, timeout }: UiAsking): Waiting {
  return { signal, timeout };
}

/** One question at a time comes here: the permissions see to that. */
export function rpcAsk(questions: Questions): Ask {
  return async (question, { signal }) => {
    const choices = choicesFor(question);
    const { tool, arguments: given, intent, text, rules } = question;
    const permission = { tool, arguments: given, intent, text, rules: rules.map((rule) => rule.text) };
    const request = { method: "select", title: text, options: [...choices.keys()], timeout: PATIENCE_MS } as const;
    const replied = await questions.ask({ ...request, permission }, { signal, timeout: PATIENCE_MS });
    return (replied && "value" in replied ? choices.get(replied.value) : undefined) ?? { type: "no" };
  };
}

/** RPC9: whoever does not answer has not said yes. */
const PATIENCE_MS = 5 * 60 * 1000;

function choicesFor({ rules }: Question): ReadonlyMap<string, Answer> {
  const remembered = rules.flatMap((rule): readonly (readonly [string, Answer])[] => [
    [`Yes, and ${rule.text} in this session`, yes(rule, "session")],
    [`Yes, and ${rule.text} in this project`, yes(rule, "project")],
  ]);
  return new Map<string, Answer>([["Yes", { type: "yes" }], ...remembered, ["No", { type: "no" }]]);
}

function yes(rule: Rule, span: "session" | "project"): Answer {
  return { type: "yes", remember: { rule, for: span } };
}
