/** A folder that a command closed is opened again: where nothing can be removed, what kept a name would stay for good. */

import { chmodSync, statSync } from "node:fs";
import { codeOf } from "../../../disk/error-code.ts";

const OWNER_WRITES = 0o300;

/** Does something to what lies in the folder, where need be after it was opened. What cannot be done is left undone. */
export function inOpened(folder: string, act: () => void): void {
  try {
    act();
  } catch (error) {
    // Gone already, or in use by another command, who removes it then.
    if (codeOf(error) === "EACCES") reopened(folder, act);
  }
}

function reopened(folder: string, act: () => void): void {
  try {
    chmodSync(folder, statSync(folder).mode | OWNER_WRITES);
    act();
  } catch {
    // It is not ours to open.
  }
}
