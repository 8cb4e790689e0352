/** What a sandbox is made of: the place, what of it may be written, and what must not even be seen. */

import type { Bubblewrap } from "./sandbox-here.ts";

export interface Box {
  /** The program that makes it, as `sandboxHere` found it. */
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
  /** Files and folders that no command sees. */
  readonly hidden?: readonly string[];
  /** What no command writes, wherever it lies and whether or not it is there. */
  readonly guarded?: readonly string[];
  readonly extraWritable?: readonly string[];
  /** Where everybody may write; the temporary folders of the machine, unless told otherwise. */
  readonly temporary?: readonly string[];
}

export function environmentIn({ environment, withheld = [] }: Box): Record<string, string> {
  const passed = Object.entries(environment).filter(([name]) => !withheld.includes(name));
  return Object.fromEntries(passed.filter((pair): pair is [string, string] => pair[1] !== undefined));
}
