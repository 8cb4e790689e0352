/** One sub-agent that was started: who it is, what it does, and how it will end. */

import type { Started } from "../keeping/in-log.ts";
import type { Progress } from "./progress.ts";
import type { Result } from "./result-text.ts";

export interface Member extends Started {
  /** Whether its caller went on without waiting for it. */
  readonly isBackground: boolean;
  progress: Progress;
  /** Null while it works. */
  result: Result | null;
  /** Somebody waits for it, and will tell its end. */
  isAwaited: boolean;
  /** Somebody stopped it. */
  isDropped: boolean;
  readonly ended: Promise<Result>;
  readonly stop: () => void;
}
