/** Defines slash commands for every mode: the `Command` type, its context, its answers, and how arguments are parsed. */

import type {
  Agent,
  ExtensionActions,
  Extensions,
  PermissionMode,
  SessionBeforeForkEvent,
  SessionBeforeSwitchEvent,
  UserContent,
} from "@pith/agent";
import { type AppendResult, refusalNotes } from "@pith/context";
import type { ChosenModel } from "../models/open-model.ts";
import type { Templates } from "../resources/templates.ts";
import type { ListedSetting } from "../settings/list.ts";
import type { Settings } from "../settings/settings.ts";
import { type Mistake, mistake } from "../text/usage-error.ts";

export interface Command {
  /** Without its slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What may stand behind it, such as `[instructions]`. */
  readonly takes?: string;
  /** What it does, in one line. */
  readonly says: string;
  /** Whole lines, as one would write them. */
  readonly examples?: readonly string[];
  run(words: string, desk: Desk): Promise<Answer>;
}

/** What a command works on. */
export interface Desk {
  readonly agent: Agent;
  /** The session's file; null where nothing is kept. */
  readonly sessionPath: string | null;
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  readonly choices: Settings;
  /** By `provider/model`. */
  readonly openModel: (name: string) => Promise<OpenedVoice>;
  /** Reads settings, skills, templates and context files anew; what has changed, for people. */
  readonly reload: () => Promise<readonly string[]>;
  /** For people, while they wait. */
  readonly note?: (line: string) => void;
  /** What else can be said by its name: prompt templates and skills. Absent: none. */
  readonly templates?: Templates;
  /** Every setting with what holds and where that comes from. */
  readonly settings?: () => readonly ListedSetting[];
  /** Absent where there are none. */
  readonly extensions?: Extensions | null;
  /** What they can do here; absent where there are none. */
  readonly acts?: ExtensionActions | null;
  /** What may be done without a question. Absent: it cannot be changed. */
  readonly mode?: {
    readonly now: () => PermissionMode;
    /** Null, or why it stays as it is. */
    readonly set: (mode: PermissionMode) => string | null;
  };
}

/** Of a model that was opened only what a command needs. */
export type OpenedVoice =
  | Pick<Extract<ChosenModel, { type: "opened" }>, "type" | "model" | "notes">
  | Exclude<ChosenModel, { type: "opened" }>;

/** What came of it, for whoever shows it. */
export type Answer =
  /** `data` is the same for programs. */
  | { readonly type: "told"; readonly text: string; readonly data: unknown }
  | Mistake
  | { readonly type: "failed"; readonly message: string }
  /** To be said to the model. */
  | { readonly type: "prompt"; readonly content: UserContent }
  /** One stands in another session from now on. */
  | {
      readonly type: "opened";
      readonly path: string;
      readonly id: string;
      readonly text: string;
      /** How one comes there; by going on with it, unless said. */
      readonly reason?: "new" | "fork";
      /** What to type to mean it; the beginning of its id, unless said. */
      readonly word?: string;
      /** Words to begin with, for whoever wants to change them first. */
      readonly draft?: string;
      /** Whether they wait in that session: going on there without words says them. */
      readonly isDraftKept?: true;
    }
  /** Words to change and say, such as those of a message one went back to. */
  | { readonly type: "draft"; readonly draft: string; readonly text: string }
  | { readonly type: "quit" };

export function told(text: string, data: unknown): Answer {
  return { type: "told", text, data };
}

export function failed(message: string): Answer {
  return { type: "failed", message };
}

/** What was to be written, and what is said once it is. */
export function written(appended: AppendResult, answer: () => Answer): Answer {
  if (appended.type === "appended") return answer();
  return failed(appended.type === "refused" ? refusalNotes[appended.why] : LEAF_MOVED);
}

export const LEAF_MOVED = "somebody else has written to this session meanwhile; open it again and try once more";

/** For what needs the session's file where there is none. */
export function nothingKept(command: string): Mistake {
  return mistake(`/${command} needs a session that is kept; start pith without --no-session`);
}

export interface FlagWish {
  /** What may stand behind it; `words` takes all up to the next flag. */
  readonly takes: "nothing" | "words" | "maybe-words";
}

export type ReadWords<Name extends string> =
  | {
      readonly type: "read";
      /** What stands before the first flag, and behind flags that take nothing. */
      readonly words: string;
      /** True for one without words. */
      readonly flags: Partial<Readonly<Record<Name, string | true>>>;
    }
  | Mistake;

/** A flag begins with two dashes, at the beginning of a word. */
export function wordsIn<Name extends string>(text: string, known: Readonly<Record<Name, FlagWish>>): ReadWords<Name> {
  const [before = "", ...pieces] = ` ${text}`.split(/\s--(?=[a-z])/);
  const words = [before.trim()];
  const flags: Partial<Record<Name, string | true>> = {};
  for (const piece of pieces) {
    const [, name = "", behind = ""] = /^([a-z-]+)(?:=|\s+|$)([\s\S]*)$/.exec(piece) ?? [];
    if (!isKnown(name, known)) return mistake(strange(name || piece, Object.keys(known)));
    const { takes } = known[name];
    const said = behind.trim();
    if (takes === "nothing") words.push(said);
    if (takes === "words" && said === "") return mistake(`--${name} needs words behind it`);
    flags[name] = takes === "nothing" || said === "" ? true : said;
  }
  return { type: "read", words: words.filter((each) => each !== "").join(" "), flags };
}

function isKnown<Name extends string>(name: string, known: Readonly<Record<Name, FlagWish>>): name is Name {
  return Object.hasOwn(known, name);
}

function strange(name: string, known: readonly string[]): string {
  return `there is no --${name} here; there ${known.length === 1 ? "is" : "are"} ${known.map((each) => `--${each}`).join(", ")}`;
}

/** The answer where an extension forbids leaving the session; else null. Call it before anything is created or opened. */
export async function keptBack(
  event: SessionBeforeSwitchEvent | SessionBeforeForkEvent,
  { extensions }: Pick<Desk, "extensions">,
): Promise<Answer | null> {
  if (!extensions || (await mayLeave(event, extensions))) return null;
  return told("an extension keeps you in this session; nothing was changed", { cancelled: true });
}

async function mayLeave(
  event: SessionBeforeSwitchEvent | SessionBeforeForkEvent,
  { dispatch }: NonNullable<Desk["extensions"]>,
): Promise<boolean> {
  const answers = event.type === "session_before_fork" ? await dispatch(event) : await dispatch(event);
  return !answers.some(({ cancel }) => cancel === true);
}
