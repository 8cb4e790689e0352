/** Defines a tool: its schema for the model, what a call intends to do, and how it runs. */

import type { ImageBlock, TextBlock, Tool as ToolSchema } from "@pith/context";

export interface Tool extends ToolSchema {
  /** Whether running it twice does no more than once. One that is not is never run again by itself. */
  readonly isIdempotent: boolean;
  /**
   * Its arguments have the true value of each secret in the place of its placeholder. For tools that stay on the disk alone: what can
   * reach the network gets placeholders as they are.
   */
  readonly restoresSecrets?: true;
  /** What a call with these arguments is about to do, for whoever permits it; where it does not say, anything. */
  readonly intent?: (asked: Readonly<Record<string, unknown>>) => Intent;
  /** What of it goes on by itself, for a model that may have forgotten: told again after a compaction. */
  readonly ongoing?: () => string | null;
  /** What it throws becomes a result that says so. */
  run(call: ToolCall): Promise<ToolOutput>;
}

export interface ToolCall {
  readonly id: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Bytes that the model can take of it; what is longer is kept beside the session, and only its ends are shown. */
  readonly maxOutputBytes: number;
  /** What it may open under the paths of its intent; absent where nobody permits. */
  readonly grant?: PermissionGrant;
  /** Told what comes while it runs. */
  readonly update: (text: string) => void;
}

/** What was seen when a call was permitted: the paths may lead elsewhere by the time they are opened. */
export interface PermissionGrant {
  /** Where each path led, every link followed: this is opened, and nothing else. */
  readonly realPaths: ReadonlyMap<string, string>;
  /** Whether a path below one of them is left out by a search, because looking at it alone would not pass. */
  readonly isExcluded: (path: string) => boolean;
}

export interface ToolOutput {
  readonly content: readonly (TextBlock | ImageBlock)[];
  readonly isError?: boolean;
  /** For screens and for the log, not for the model. */
  readonly details?: unknown;
}

/** Paths are absolute. */
export type Intent =
  | { readonly type: "look"; readonly paths: readonly string[] }
  | { readonly type: "change"; readonly paths: readonly string[] }
  | CommandIntent
  | { readonly type: "fetch"; readonly url: string }
  | NetworkIntent
  /** Host: a command reaches this port of the user's machine. Publish: the user's machine reaches this port of the sandbox. */
  | { readonly type: "port"; readonly port: number; readonly direction: "host" | "publish" }
  /** What its host knows by a name with slashes, such as a tool of a server: `server/tool`. */
  | { readonly type: "named"; readonly name: string }
  /** Nothing that anybody need permit. */
  | { readonly type: "nothing" };

/** A command in the sandbox connects to a host. */
export interface NetworkIntent {
  readonly type: "network";
  readonly host: string;
  readonly port: number;
  /** The line that runs; null where that is not known. */
  readonly command: string | null;
  /** The user's own configuration names it as a place for packages. */
  readonly isPackageHost?: true;
}

export interface CommandIntent {
  readonly type: "command";
  readonly command: string;
  /** In a sandbox that keeps it to its workspace. */
  readonly isConfined: boolean;
  /** In none, though there is one. */
  readonly isOutside?: true;
  /** Placeholders, variables and logins whose true values it gets. */
  readonly secrets?: readonly string[];
  /** With secrets: the only hosts it may reach. */
  readonly hosts?: readonly string[];
}
