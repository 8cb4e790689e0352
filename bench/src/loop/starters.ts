/** Who takes part: the floor and our program always, the others where they are at hand. */

import { join } from "node:path";
import { type Contender, floor, type Ground, pi, pith } from "./contenders.ts";
import { sandboxCommand } from "./sandbox.ts";

export interface Field {
  /** The file that starts our program. */
  readonly program: string;
  /** The file that starts pi. */
  readonly pi?: string;
  /** A floor by another hand. */
  readonly yardstick?: string;
  /** Whether our program and the floor run in our sandbox as well. */
  readonly alsoSandboxed: boolean;
}

const ourFloor = join(import.meta.dirname, "floor.mjs");

export async function starters(field: Field, ground: Ground): Promise<readonly Contender[]> {
  const { program, yardstick, pi: peer, alsoSandboxed } = field;
  return [
    floor("floor", ourFloor),
    pith("pith", program, ["--permission-mode", "all", "--sandbox", "off"]),
    ...(yardstick ? [floor("yardstick", yardstick)] : []),
    ...(peer ? [pi(peer)] : []),
    ...(alsoSandboxed ? await inSandboxes(program, ground) : []),
  ];
}

async function inSandboxes(program: string, ground: Ground): Promise<readonly Contender[]> {
  const ours = pith("pith_sandboxed", program, ["--permission-mode", "all", "--sandbox", "on"]);
  const shell = await sandboxCommand(ours, ground);
  return shell ? [floor("floor_sandboxed", ourFloor, shell), ours] : [];
}
