/** What extensions are told by the program around an agent: of sessions that come and go, of who speaks, and of what the user does (c1). */

import type { ModelName } from "@pith/context";

export type SessionReason = "startup" | "reload" | "new" | "resume" | "fork";

/** A folder holds what is only used where it is trusted; told to extensions of the user alone. */
export interface ProjectTrustEvent {
  readonly type: "project_trust";
  readonly cwd: string;
  /** What it holds, by name. */
  readonly files: readonly string[];
}

export interface ProjectTrustResult {
  /** For this call alone; nothing of it is kept. */
  readonly trusted?: boolean;
}

export interface ResourcesDiscoverEvent {
  readonly type: "resources_discover";
  readonly cwd: string;
  readonly reason: "startup" | "reload";
}

/** Folders, by absolute paths. */
export interface ResourcesDiscoverResult {
  readonly skillPaths?: readonly string[];
  readonly promptPaths?: readonly string[];
}

export interface SessionStartEvent {
  readonly type: "session_start";
  readonly reason: SessionReason;
  /** The one before it on this screen or line. */
  readonly previousSessionFile?: string;
}

export interface SessionBeforeSwitchEvent {
  readonly type: "session_before_switch";
  readonly reason: "new" | "resume";
  readonly targetSessionFile?: string;
}

export interface SessionBeforeForkEvent {
  readonly type: "session_before_fork";
  readonly entryId: string | null;
  readonly position: "before" | "at";
}

export interface CancelResult {
  readonly cancel?: boolean;
}

export interface SessionShutdownEvent {
  readonly type: "session_shutdown";
  readonly reason: "quit" | "reload" | "new" | "resume" | "fork";
  readonly targetSessionFile?: string;
}

export interface ModelSelectEvent {
  readonly type: "model_select";
  readonly model: ModelName;
  readonly previousModel: ModelName;
}

export interface ThinkingLevelSelectEvent {
  readonly type: "thinking_level_select";
  readonly level: string;
  readonly previousLevel: string;
}

/** A shell line of the user's own, before it is run. */
export interface UserBashEvent {
  readonly type: "user_bash";
  readonly command: string;
  readonly excludeFromContext: boolean;
  readonly cwd: string;
}

/** With `result` it is not run: this is what came of it. */
export interface UserBashResult {
  readonly result?: { readonly output: string; readonly exitCode: number | null };
}

export interface UiPromptEvent {
  readonly type: "ui_prompt_start" | "ui_prompt_end";
  readonly method: "select" | "confirm" | "input";
  readonly title: string;
}
