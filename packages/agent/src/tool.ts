/** Defines a tool: its schema for the model, what a call intends to do, and how it runs. */

import type { ImageBlock, TextBlock, Tool as ToolSchema } from "@pith/context";
import type { WaitForUser } from "./ports.ts";

/** A tool that the model can call. */
export interface Tool extends ToolSchema {
  /** Whether a second run has no further effect. An interrupted call of another tool is never repeated automatically. */
  readonly isIdempotent: boolean;
  /**
   * Whether a call may run at the same time as other such calls of a reply. For calls that only read. All other calls run alone, in
   * the order of the reply.
   */
  readonly isConcurrent?: boolean | ((args: Readonly<Record<string, unknown>>) => boolean);
  /**
   * Placeholders in its arguments are replaced by the secrets. Only for tools that work on the disk: a tool that can reach the network
   * must get the placeholders.
   */
  readonly restoresSecrets?: true;
  /** What a call with these arguments does, for the permission check. Without it, the call may do anything. */
  readonly intent?: (args: Readonly<Record<string, unknown>>) => Intent;
  /** Describes work that still runs, e.g. background jobs. It is repeated to the model after a compaction. */
  readonly ongoing?: () => string | null;
  /** An error that it throws becomes the result of the call. */
  run(call: ToolCall): Promise<ToolOutput>;
}

/** What a tool gets when it is called. */
export interface ToolCall {
  readonly id: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** The maximum size of the result. Longer output is stored as a blob, and only its beginning and end are shown. */
  readonly maxOutputBytes: number;
  /** What it may open under the paths of its intent; absent without a permission check. */
  readonly grant?: PermissionGrant;
  /** Reports output while the tool runs. */
  readonly update: (text: string) => void;
  /** Runs a question to the user while the tool runs; its time is not part of the tool's duration. */
  readonly waitForUser?: WaitForUser;
}

/** The state of the paths when a call was permitted. Links may have changed by the time the paths are opened. */
export interface PermissionGrant {
  /** The real path of each path, with all links resolved. The tool opens only these. */
  readonly realPaths: ReadonlyMap<string, string>;
  /** Whether a search leaves out a path below one of them, because reading it alone would not be permitted. */
  readonly isExcluded: (path: string) => boolean;
}

/** What a tool returns. */
export interface ToolOutput {
  readonly content: readonly (TextBlock | ImageBlock)[];
  readonly isError?: boolean;
  /** For the screen and the log, not for the model. */
  readonly details?: unknown;
}

/** What a tool call does. Paths are absolute. */
export type Intent =
  | { readonly type: "look"; readonly paths: readonly string[] }
  | ChangeIntent
  | CommandIntent
  | { readonly type: "fetch"; readonly url: string }
  | NetworkIntent
  /** Host: a command reaches this port of the user's machine. Publish: the user's machine reaches this port of the sandbox. */
  | { readonly type: "port"; readonly port: number; readonly direction: "host" | "publish" }
  /** A tool that the host names with slashes, such as an MCP tool: `server/tool`. */
  | { readonly type: "named"; readonly name: string }
  /** Needs no permission. */
  | { readonly type: "nothing" };

export interface ChangeIntent {
  readonly type: "change";
  readonly paths: readonly string[];
  /** Set if a command made the files and the question is whether they may stay. */
  readonly madeBy?: MadeBy;
  /** Set if a command in the sandbox changes the settings of a repository. */
  readonly gitSettings?: GitSettingsChange;
}

/** How files came into being that other programs run or trust. */
export interface MadeBy {
  readonly command: string;
  /** What is special about the files, such as a git setting that runs a program. */
  readonly remarks: readonly string[];
}

export interface GitSettingsChange {
  readonly command: string;
  /** Each as `set core.pager = less` or `remove core.pager = less`. */
  readonly changes: readonly string[];
  /** What git does because of them. */
  readonly effect: string;
}

/** A command in the sandbox connects to a host. */
export interface NetworkIntent {
  readonly type: "network";
  readonly host: string;
  readonly port: number;
  /** The command that connects; null if it is not known. */
  readonly command: string | null;
  /** The user's configuration names the host as a package registry. */
  readonly isPackageHost?: true;
}

export interface CommandIntent {
  readonly type: "command";
  readonly command: string;
  /** Whether it runs in the sandbox. */
  readonly isConfined: boolean;
  /** It runs outside the sandbox, although there is one. */
  readonly isOutside?: true;
  /** The placeholders, variables and logins whose real values it gets. */
  readonly secrets?: readonly string[];
  /** With secrets: the only hosts it may reach. */
  readonly hosts?: readonly string[];
}
