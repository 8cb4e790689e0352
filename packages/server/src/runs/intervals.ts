/** How often a worker does what, and how long it may be silent. */

/** A worker without a beat for this long is silent: others take over its sessions. */
export const SILENT_MS = 5_000;

/** In milliseconds. */
export interface WorkerIntervals {
  /** A worker without a beat for this long is silent. All workers must have the same. */
  readonly silent: number;
  readonly beat: number;
  /** How often it looks for messages of its sessions. */
  readonly mail: number;
  /** How often it looks for sessions without a living worker, and for its own that it does not run. */
  readonly sweep: number;
  /** How long a session that nobody has waits for the worker that was woken for it. */
  readonly wait: number;
  /** How often it erases sessions that tenants no longer keep, and removes dead tokens. */
  readonly cleanup: number;
}

export const DEFAULT_INTERVALS: WorkerIntervals = {
  silent: SILENT_MS,
  beat: 1_000,
  mail: 250,
  sweep: 1_000,
  wait: 3_000,
  cleanup: 60_000,
};
