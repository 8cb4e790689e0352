/** Groups what the user has said by what the model reads of it, and formats it as text. */

import type { Session } from "@pith/context";
import { listUserRules, sanitizeLine } from "@pith/context/host";
import { formatCount } from "@pith/host/text/format";

/** What the user has said on a branch, as far as the model can read it. */
export type UserRules = ReturnType<typeof listUserRules>;

/** Reads what the user has said on the current branch. */
export async function readRules(session: Session): Promise<UserRules> {
  await session.loadState();
  return listUserRules(session.branch);
}

/** One thing the user has said. */
export interface Rule {
  readonly kind: RuleKind;
  /** The number of a pin, or the references of the messages. */
  readonly label: string;
  readonly text: string;
  /** The messages, such as `#5`. A line of the summary may stand for several of them. Empty for a pin. */
  readonly references: readonly string[];
}

/** `carried`: a line of the summary. `stub`: a message that is shown by its first words. `hidden`: a message that is only counted. */
export type RuleKind = "pin" | "carried" | "message" | "stub" | "hidden";

export interface RuleGroup {
  readonly kind: RuleKind;
  /** What the rules have in common, in plain words. */
  readonly title: string;
  readonly rules: readonly Rule[];
}

export type HiddenMessage = UserRules["messages"][number];

/** Groups the rules, without empty groups. Hidden messages are listed only if they are given: their text must be read from the log. */
export function groupRules(
  { pins, carriedLines, messages, stubs, hidden }: UserRules,
  hiddenMessages: readonly HiddenMessage[] = [],
): readonly RuleGroup[] {
  const groups: readonly RuleGroup[] = [
    {
      kind: "pin",
      title: "Pinned (always shown)",
      rules: pins.map(({ text }, index) => ({ kind: "pin", label: `${index + 1}`, text, references: [] })),
    },
    {
      kind: "carried",
      title: "From the summary, in place of your messages",
      rules: carriedLines.map(({ text, references }) => toRule("carried", references, text)),
    },
    {
      kind: "message",
      title: `Your messages, word for word${messages.some(isPartial) ? "; […] marks what is left out" : ""}`,
      rules: messages.map(({ reference, text }) => toRule("message", [reference], text)),
    },
    {
      kind: "stub",
      title: "Only the first words are shown to the model",
      rules: stubs.map(({ reference, line }) => toRule("stub", [reference], line.replace(`[${reference}] `, ""))),
    },
  ];
  return [
    ...groups.filter(({ rules }) => rules.length > 0),
    ...(hidden.count > 0 ? [createHiddenGroup(hidden, hiddenMessages)] : []),
  ];
}

interface MessageText {
  readonly text: string;
}

function isPartial(message: MessageText): boolean {
  return hasCarriedMark(message) || isCut(message);
}

/** Whether lines of the summary stand for some sentences. */
export function hasCarriedMark({ text }: MessageText): boolean {
  return text.includes("[…]");
}

/** Whether the middle is left out. */
export function isCut({ text }: MessageText): boolean {
  return /^\[… [\d,]{1,20} of about [\d,]{1,20} tokens are left out here;/m.test(text);
}

function toRule(kind: RuleKind, references: readonly string[], text: string): Rule {
  return { kind, label: references.join(", "), text: /\S/.test(text) ? text : "(only attachments)", references };
}

function createHiddenGroup({ count, first, last }: UserRules["hidden"], messages: readonly HiddenMessage[]): RuleGroup {
  const range = first === last ? last : `${first}–${last}`;
  return {
    kind: "hidden",
    title: `Not shown and not carried over: ${formatCount(count, "message")}, ${range}`,
    rules: messages.map(({ reference, text }) => toRule("hidden", [reference], text)),
  };
}

export function formatRules(rules: UserRules): string {
  const groups = groupRules(rules);
  if (groups.length === 0) return NO_RULES_MESSAGE;
  return [...groups.map(formatGroup), formatPinHint(rules)].join("\n\n");
}

export const NO_RULES_MESSAGE =
  "You have not said anything in this session yet. Type a message, or keep a rule in the context through every compaction with /pin <text>.";

function formatGroup({ kind, title, rules }: RuleGroup): string {
  if (kind === "hidden") return `${title}.`;
  const listed = rules.slice(-MAX_LISTED_RULES);
  const omitted = rules.length - listed.length;
  const width = Math.min(MAX_LABEL_CHARS, Math.max(...listed.map(({ label }) => label.length)));
  return [
    `${title}:`,
    ...(omitted > 0 ? [`  … ${formatCount(omitted, "older one is", "older ones are")} not listed`] : []),
    ...listed.map(({ label, text }) => `  ${formatLabel(label).padEnd(width)}  ${sanitizeLine(text, MAX_RULE_CHARS)}`),
  ].join("\n");
}

function formatLabel(label: string): string {
  return sanitizeLine(label, MAX_LABEL_CHARS);
}

const MAX_LISTED_RULES = 500;
const MAX_LABEL_CHARS = 20;
const MAX_RULE_CHARS = 100;

/** Names a message that is not shown, if there is one. */
function formatPinHint({ stubs, hidden, messages }: UserRules): string {
  const reference = stubs[0]?.reference ?? (hidden.last || messages[0]?.reference);
  const entryHint = reference === undefined ? "" : ` /pin ${formatLabel(reference)} keeps a message,`;
  return `To keep something in the context through every compaction, pin it:${entryHint} /pin <text> any other rule.`;
}

/** The machine-readable form, without what only compactions need. */
export function toRulesData({ pins, carriedLines, messages, stubs, hidden }: UserRules): object {
  const { count, first, last } = hidden;
  return {
    pins,
    carriedLines,
    messages,
    stubs: stubs.map(({ reference, line }) => ({ reference, line })),
    hidden: { count, first, last },
  };
}
