/** What a sandbox is made of: the place, what of it may be written, and what must not even be seen. */

/** The program that makes it. */
export interface Bubblewrap {
  readonly path: string;
  /** What keeps a command apart, as far as this version knows it. */
  readonly apart: readonly string[];
}

export interface Box {
  /** As `sandboxHere` found it. */
  readonly program: Bubblewrap;
  /** The workspace; absolute. Commands start in it. */
  readonly root: string;
  readonly home: string;
  /** All that commands see of the environment, but for what is withheld. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether commands reach the network, and with it whatever listens on this machine. */
  readonly network: boolean;
  /** Whether commands may write in the workspace; asked before each. */
  readonly mayWrite: () => boolean;
  /** Names of variables that hold keys of model providers. */
  readonly withheld?: readonly string[];
  /** Files and folders that no command sees. Of a folder also what is made in it later; a file only as long as nobody replaces it. */
  readonly hidden?: readonly string[];
  /** What of a hidden folder commands do see, and only read. */
  readonly shown?: readonly string[];
  /** What no command writes, wherever it lies and whether or not it is there. */
  readonly guarded?: readonly string[];
  readonly extraWritable?: readonly string[];
  /** Where everybody may write, as it is when the shell is made; the temporary folders of the machine, unless told otherwise. */
  readonly temporary?: readonly string[];
}
