/** What a person is asked, and what they may answer. */

import type { Redaction } from "@pith/context";
import { shownFrom } from "../text/paths.ts";
import type { Intent } from "../tool.ts";
import type { Because } from "./decide.ts";
import { offeredRules } from "./rules/offered.ts";
import type { Rule } from "./rules/rule.ts";
import { shown } from "./shown.ts";
import type { Ground, Sight } from "./sight.ts";
import type { Matter } from "./table.ts";

export interface Question {
  readonly tool: string;
  /** What it was called with. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly intent: Intent | null;
  /** One sentence, safe to print. */
  readonly text: string;
  /** What could be remembered with a yes: the narrowest first, three at most. */
  readonly rules: readonly Rule[];
}

export type Answer =
  | { readonly type: "yes"; readonly remember?: { readonly rule: Rule; readonly for: "session" | "project" } }
  /** `word` is told to the model. */
  | { readonly type: "no"; readonly word?: string };

/** The port to whoever is there to be asked. */
export type Ask = (question: Question, asking: { readonly signal: AbortSignal }) => Promise<Answer>;

export interface Asked {
  readonly matter: Matter;
  readonly because: Because;
}

export function questionOf(sight: Sight, { matter, because }: Asked, ground: Ground): Question {
  const { tool, intent, arguments: asked } = sight.act;
  return {
    tool,
    arguments: asked,
    intent,
    text: `${shown(tool)} wants to ${wishOf(sight, ground)}${remarks[matter] ?? ""}${reasons[because]}.`,
    rules: because === "mode" ? offeredRules(sight, ground) : [],
  };
}

/** What is shown has no secret, and what could be remembered neither. Whoever made up a secret may have hidden a command in it. */
export function withoutSecrets({ intent, rules }: Question, clean: Question, redaction: Redaction): Question {
  const isHiding = shellSigns(intent) !== shellSigns(clean.intent);
  return {
    ...clean,
    text: isHiding ? `${clean.text} A secret in it has signs that a shell acts on.` : clean.text,
    rules: rules.filter(({ text }) => redaction.redacted(text) === text),
  };
}

function shellSigns(intent: Intent | null): string {
  return intent?.type === "command" ? intent.command.replaceAll(/[^;&|<>()`$'"\\\s]/g, "") : "";
}

const reasons: Readonly<Record<Because, string>> = {
  mode: "",
  rule: "; a rule wants you to be asked",
  doubt: "; it may be what a rule denies",
  again: "; it was begun before and may have been done",
};

const remarks: Readonly<Partial<Record<Matter, string>>> = {
  "look-secret": ", where secrets are kept",
  "change-protected": ", which other programs run or believe",
  "change-outside": ", outside the workspace",
  "command-confined": ", in the sandbox",
  "command-free": ", not in a sandbox",
  "command-outside": ", outside the sandbox",
};

function wishOf({ act, reached }: Sight, ground: Ground): string {
  const { intent } = act;
  switch (intent?.type) {
    case "look":
      return `look at ${placesOf(reached, ground)}`;
    case "change":
      return `change ${placesOf(reached, ground)}`;
    case "command":
      return `run \`${shown(intent.command)}\``;
    case "fetch":
      return `open ${shown(intent.url)}`;
    case "named":
      return `use ${shown(intent.name)}: ${shown(JSON.stringify(act.arguments))}`;
    case "nothing":
    case undefined:
      return `act on ${shown(JSON.stringify(act.arguments))}`;
  }
}

function placesOf(reached: Sight["reached"], { root }: Ground): string {
  const names = reached.map(({ named, real }) => {
    const place = shown(shownFrom(root, named));
    return real === null || real === named ? place : `${place} (in truth ${shown(shownFrom(root, real))})`;
  });
  return names.length === 0 ? "something it does not name" : names.join(", ");
}
