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
import type { ChooseModelResult } from "../models/open-model.ts";
import type { Templates } from "../resources/templates.ts";
import type { ListedSetting } from "../settings/list.ts";
import type { Settings } from "../settings/settings.ts";
import { type UsageError, usageError } from "../text/usage-error.ts";

export interface Command {
  /** Without its slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What may stand behind it, such as `[instructions]`. */
  readonly argumentHint?: string;
  /** What it does, in one line. */
  readonly description: string;
  /** Whole lines, as one would write them. */
  readonly examples?: readonly string[];
  run(words: string, desk: CommandContext): Promise<CommandResult>;
}

/** What a command works on. */
export interface CommandContext {
  readonly agent: Agent;
  /** The session's file; null where nothing is kept. */
  readonly sessionPath: string | null;
  readonly cwd: string;
  /** Pith's home. */
  readonly home: string;
  readonly settings: Settings;
  /** By `provider/model`. */
  readonly openModel: (name: string) => Promise<OpenedModel>;
  /** Reads settings, skills, templates and context files anew; what has changed, for people. */
  readonly reload: () => Promise<readonly string[]>;
  /** For people, while they wait. */
  readonly notify?: (line: string) => void;
  /** What else can be said by its name: prompt templates and skills. Absent: none. */
  readonly templates?: Templates;
  /** Every setting with what holds and where that comes from. */
  readonly listSettings?: () => readonly ListedSetting[];
  /** Absent where there are none. */
  readonly extensions?: Extensions | null;
  /** What they can do here; absent where there are none. */
  readonly extensionActions?: ExtensionActions | null;
  /** What may be done without a question. Absent: it cannot be changed. */
  readonly permissionMode?: PermissionModeControl;
}

/** Reads and sets the permission mode for the user. */
export interface PermissionModeControl {
  readonly get: () => PermissionMode;
  /** Null, or why the mode stays as it is. The model is told before the next request. */
  readonly set: (mode: PermissionMode) => string | null;
}

/** Of a model that was opened only what a command needs. */
export type OpenedModel =
  | Pick<Extract<ChooseModelResult, { type: "opened" }>, "type" | "model" | "notes">
  | Exclude<ChooseModelResult, { type: "opened" }>;

/** What came of it, for whoever shows it. */
export type CommandResult =
  /** `data` is the same for programs. */
  | { readonly type: "told"; readonly text: string; readonly data: unknown }
  | UsageError
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
      readonly resumeArgument?: string;
      /** Words to begin with, for whoever wants to change them first. */
      readonly draft?: string;
      /** Whether they wait in that session: going on there without words says them. */
      readonly isDraftSaved?: true;
    }
  /** Words to change and say, such as those of a message one went back to. */
  | { readonly type: "draft"; readonly draft: string; readonly text: string }
  | { readonly type: "quit" };

export function success(text: string, data: unknown): CommandResult {
  return { type: "told", text, data };
}

export function failure(message: string): CommandResult {
  return { type: "failed", message };
}

/** What was to be written, and what is said once it is. */
export function toCommandResult(result: AppendResult, onAppended: () => CommandResult): CommandResult {
  if (result.type === "appended") return onAppended();
  return failure(result.type === "refused" ? refusalNotes[result.why] : LEAF_MOVED_MESSAGE);
}

export const LEAF_MOVED_MESSAGE =
  "somebody else has written to this session meanwhile; open it again and try once more";

/** For what needs the session's file where there is none. */
export function sessionNotSavedError(command: string): UsageError {
  return usageError(`/${command} needs a session that is kept; start pith without --no-session`);
}

export interface FlagSpec {
  /** What may stand behind it; `words` takes all up to the next flag. */
  readonly takes: "nothing" | "words" | "maybe-words";
}

export type ParsedCommandArgs<Name extends string> =
  | {
      readonly type: "read";
      /** What stands before the first flag, and behind flags that take nothing. */
      readonly text: string;
      /** True for one without words. */
      readonly flags: Partial<Readonly<Record<Name, string | true>>>;
    }
  | UsageError;

/** A flag begins with two dashes, at the beginning of a word. */
export function parseCommandArgs<Name extends string>(
  text: string,
  knownFlags: Readonly<Record<Name, FlagSpec>>,
): ParsedCommandArgs<Name> {
  const [textBeforeFlags = "", ...flagPieces] = ` ${text}`.split(/\s--(?=[a-z])/);
  const texts = [textBeforeFlags.trim()];
  const flags: Partial<Record<Name, string | true>> = {};
  for (const piece of flagPieces) {
    const [, name = "", rest = ""] = /^([a-z-]+)(?:=|\s+|$)([\s\S]*)$/.exec(piece) ?? [];
    if (!isKnownFlag(name, knownFlags)) return usageError(describeUnknownFlag(name || piece, Object.keys(knownFlags)));
    const { takes } = knownFlags[name];
    const value = rest.trim();
    if (takes === "nothing") texts.push(value);
    if (takes === "words" && value === "") return usageError(`--${name} needs words behind it`);
    flags[name] = takes === "nothing" || value === "" ? true : value;
  }
  return { type: "read", text: texts.filter((part) => part !== "").join(" "), flags };
}

function isKnownFlag<Name extends string>(name: string, knownFlags: Readonly<Record<Name, FlagSpec>>): name is Name {
  return Object.hasOwn(knownFlags, name);
}

function describeUnknownFlag(name: string, knownNames: readonly string[]): string {
  return `there is no --${name} here; there ${knownNames.length === 1 ? "is" : "are"} ${knownNames.map((knownName) => `--${knownName}`).join(", ")}`;
}

/** The answer where an extension forbids leaving the session; else null. Call it before anything is created or opened. */
export async function checkExtensionVeto(
  event: SessionBeforeSwitchEvent | SessionBeforeForkEvent,
  { extensions }: Pick<CommandContext, "extensions">,
): Promise<CommandResult | null> {
  if (!extensions || (await isLeavingAllowed(event, extensions))) return null;
  return success("an extension keeps you in this session; nothing was changed", { cancelled: true });
}

async function isLeavingAllowed(
  event: SessionBeforeSwitchEvent | SessionBeforeForkEvent,
  { dispatch }: NonNullable<CommandContext["extensions"]>,
): Promise<boolean> {
  const results = event.type === "session_before_fork" ? await dispatch(event) : await dispatch(event);
  return !results.some(({ cancel }) => cancel === true);
}
