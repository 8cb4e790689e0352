/** Defines what all slash commands share: the `Command` type, its context and result, the argument parser and the extension veto. */

import type {
  Agent,
  ExtensionActions,
  Extensions,
  SessionBeforeForkEvent,
  SessionBeforeSwitchEvent,
  UserContent,
} from "@pith/agent";
import { type AppendResult, refusalNotes } from "@pith/context";
import type { PermissionModeControl } from "@pith/host/build-agent";
import type { HostContext } from "@pith/host/host-context";
import type { ChooseModelResult } from "@pith/host/models/open-model";
import type { Templates } from "@pith/host/resources/templates";
import type { Settings } from "@pith/host/settings/settings";
import { type UsageError, usageError } from "@pith/host/text/usage-error";
import type { ListedSetting } from "../settings/list.ts";

export interface Command {
  /** Without the slash. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** The arguments, such as `[instructions]`. Absent if the command takes none. */
  readonly argumentHint?: string;
  /** The arguments that can be typed as they are, for completion. Placeholders of the hint are not among them. */
  readonly argumentValues?: readonly string[];
  /** One line for `/help`. */
  readonly description: string;
  /** Complete command lines. */
  readonly examples?: readonly string[];
  run(args: string, context: CommandContext): Promise<CommandResult>;
}

/** The session and the services that a command uses. */
export interface CommandContext extends Pick<HostContext, "cwd" | "home" | "environment"> {
  readonly agent: Agent;
  /** The session's file. Null if the session is not saved. */
  readonly sessionPath: string | null;
  readonly settings: Settings;
  /** Opens a model by `provider/model`. */
  readonly openModel: (name: string) => Promise<OpenedModel>;
  /** Reads settings, skills, templates and context files again. Returns the changes as lines for the user. */
  readonly reload: () => Promise<readonly string[]>;
  /** Shows a line to the user while the command runs. */
  readonly notify?: (line: string) => void;
  /** Prompt templates and skills. Absent if there are none. */
  readonly templates?: Templates;
  /** Every setting with its effective value and source. */
  readonly listSettings?: () => readonly ListedSetting[];
  /** Describes the MCP servers and their state. */
  readonly describeMcpServers?: () => Promise<string>;
  /** Absent if there are no extensions. */
  readonly extensions?: Extensions | null;
  /** The actions that extensions can use. Absent if there are no extensions. */
  readonly extensionActions?: ExtensionActions | null;
  /** Absent if the permission mode cannot be changed. */
  readonly permissionMode?: PermissionModeControl;
}

/** The parts of an opened model that a command needs. */
export type OpenedModel =
  | Pick<Extract<ChooseModelResult, { type: "opened" }>, "type" | "model" | "notes">
  | Exclude<ChooseModelResult, { type: "opened" }>;

/** The result of a command. Each mode shows it in its own way. */
export type CommandResult =
  /** The command succeeded. `data` is the machine-readable form of `text`. */
  | {
      readonly type: "success";
      readonly text: string;
      readonly data: unknown;
      /** Whether the command added an entry that the transcript shows, so that a screen does not show the text as well. */
      readonly isInTranscript?: true;
    }
  | UsageError
  | { readonly type: "failed"; readonly message: string }
  /** The caller sends the content to the model. */
  | { readonly type: "prompt"; readonly content: UserContent }
  /** The caller switches to another session. */
  | {
      readonly type: "opened";
      readonly path: string;
      readonly id: string;
      readonly text: string;
      /** Absent if an existing session is resumed. */
      readonly reason?: "new" | "fork";
      /** The argument that resumes the session. Default: the beginning of its id. */
      readonly resumeArgument?: string;
      /** Text for the editor, which the user can change before sending it. */
      readonly draft?: string;
      /** Whether the draft is saved in that session. Resuming the session without a prompt then sends it. */
      readonly isDraftSaved?: true;
    }
  /** Text for the editor, such as that of the message the user moved back to. */
  | { readonly type: "draft"; readonly draft: string; readonly text: string }
  | { readonly type: "quit" };

export function success(text: string, data: unknown): CommandResult {
  return { type: "success", text, data };
}

/** The result of a command whose entry the transcript shows. */
export function successInTranscript(text: string, data: unknown): CommandResult {
  return { type: "success", text, data, isInTranscript: true };
}

export function failure(message: string): CommandResult {
  return { type: "failed", message };
}

/** Converts the result of an append. Calls `onAppended` on success. */
export function toCommandResult(result: AppendResult, onAppended: () => CommandResult): CommandResult {
  if (result.type === "appended") return onAppended();
  return failure(result.type === "refused" ? refusalNotes[result.why] : LEAF_MOVED_MESSAGE);
}

export const LEAF_MOVED_MESSAGE = "another process has written to this session; reopen it and try again";

export const SESSION_COLLISION_MESSAGE = "another process has just created the same session; try again";

/** For commands that need a session file, in a session that is not saved. */
export function sessionNotSavedError(command: string): UsageError {
  return usageError(`/${command} needs a saved session; start Pith without --no-session`);
}

export interface FlagSpec {
  /** The value of the flag. `text` is all text up to the next flag. */
  readonly takes: "none" | "text" | "optional-text";
}

export type ParsedCommandArgs<Name extends string> =
  | {
      readonly type: "read";
      /** The text before the first flag and after flags without a value. */
      readonly text: string;
      /** True for a flag without a value. */
      readonly flags: Partial<Readonly<Record<Name, string | true>>>;
    }
  | UsageError;

/** A flag is a word that starts with two dashes. */
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
    if (takes === "none") texts.push(value);
    if (takes === "text" && value === "") return usageError(`--${name} needs a value`);
    flags[name] = takes === "none" || value === "" ? true : value;
  }
  return { type: "read", text: texts.filter((part) => part !== "").join(" "), flags };
}

function isKnownFlag<Name extends string>(name: string, knownFlags: Readonly<Record<Name, FlagSpec>>): name is Name {
  return Object.hasOwn(knownFlags, name);
}

/** The names have no dashes. */
export function describeUnknownFlag(name: string, knownNames: readonly string[]): string {
  return `unknown flag --${name}; use ${knownNames.map((knownName) => `--${knownName}`).join(", ")}`;
}

/** Returns a result if an extension forbids leaving the session, else null. Call it before a session is created or opened. */
export async function checkExtensionVeto(
  event: SessionBeforeSwitchEvent | SessionBeforeForkEvent,
  { extensions }: Pick<CommandContext, "extensions">,
): Promise<CommandResult | null> {
  if (!extensions || (await isLeavingAllowed(event, extensions))) return null;
  return success("An extension prevented this; nothing was changed.", { cancelled: true });
}

async function isLeavingAllowed(
  event: SessionBeforeSwitchEvent | SessionBeforeForkEvent,
  { dispatch }: NonNullable<CommandContext["extensions"]>,
): Promise<boolean> {
  const results = event.type === "session_before_fork" ? await dispatch(event) : await dispatch(event);
  return !results.some(({ cancel }) => cancel === true);
}
