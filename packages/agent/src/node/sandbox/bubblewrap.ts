/** Defines the programs that make a sandbox, as `detectSandbox` found them. */

export interface Bubblewrap {
  readonly path: string;
  /** What keeps a command apart, as far as this version knows it. */
  readonly isolationArguments: readonly string[];
  /** The program that enters a network namespace; null where commands can have no network. */
  readonly nsenter: string | null;
}
