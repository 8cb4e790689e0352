/** Shows what extensions register: for `pith extensions list`, and before the user agrees to add one. */

import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { promisify } from "node:util";
import type { ExtensionInfo } from "@pith/agent";
import type { Call, Outcome } from "../args/subcommand.ts";
import { objectIn } from "../text/jsonc.ts";
import type { FoundExtension, Origin } from "./extension-files.ts";
import { assembled, extensionsHere, foundHere } from "./extensions.ts";

export interface Capabilities extends ExtensionInfo {
  /** Why something of it does not count. */
  readonly notes: readonly string[];
}

/** A line for each kind of thing; none for what it has not got. */
export function capabilityLines({
  tools,
  commands,
  states,
  rules,
  events,
  writes,
  notes,
}: Capabilities): readonly string[] {
  const lines: readonly (readonly [string, readonly string[]])[] = [
    ["tools", tools],
    ["commands", commands.map((name) => `/${name}`)],
    ["states", states],
    ["rules", rules],
    ["writes", writes ? ["summaries"] : []],
    ["hears", events],
    ["but", notes],
  ];
  const shown = lines.filter(([, names]) => names.length > 0).map(([kind, names]) => `  ${kind}: ${names.join(", ")}`);
  return shown.length === 0 ? ["  registers nothing"] : shown;
}

/** Of what was assembled alone. */
export const NONE: Omit<Capabilities, "name" | "notes"> = {
  events: [],
  tools: [],
  commands: [],
  states: [],
  rules: [],
  writes: false,
};

export async function listed({ cwd, home, environment, flags, note }: Call): Promise<Outcome> {
  const { whatHolds } = await import("../settings/resolve.ts");
  const holds = await whatHolds({ choices: {}, trusts: flags.trust === true }, { cwd, home, environment });
  if (holds.type === "mistake") return holds;
  for (const line of holds.notes) note(`pith: ${line}`);
  const { choices, trusted } = holds;
  if (choices.extensions === false)
    return {
      type: "shown",
      text: "no extension is loaded: the setting extensions is false",
      data: { extensions: [], notes: [] },
    };
  const { found } = await foundHere({ home, trusted, choices });
  const { list = [], notes = [] } = (await extensionsHere({ cwd, home, environment, choices, trusted, note })) ?? {};
  const origins = new Map(found.map(({ name, from }) => [name, from]));
  const rows = list.map((each) => ({ ...each, from: origins.get(each.name) ?? ("pith" as const) }));
  const told = rows.map((row) =>
    [`${row.name}, ${WHENCE[row.from]}`, ...capabilityLines({ ...row, notes: [] })].join("\n"),
  );
  const text = [...(told.length === 0 ? [NOBODY] : told), ...notes].join("\n");
  return { type: "shown", text, data: { extensions: rows, notes } };
}

const WHENCE: Readonly<Record<Origin | "pith", string>> = {
  pith: "comes with Pith",
  user: "yours",
  package: "yours, a package",
  project: "of this project",
};

const NOBODY = "there is no extension here; pith extensions add PATH adds one";

export type LookedInto =
  | { readonly type: "seen"; readonly capabilities: Capabilities }
  | { readonly type: "failed"; readonly message: string };

/** Runs an untrusted extension in a process that can write nothing, start nothing, and read only `folder`, which holds it, and Pith. */
export async function lookInto(path: string, folder: string): Promise<LookedInto> {
  const program = realpathSync(process.argv[1] ?? "");
  const args = ["--permission", ...readable(program, folder), program, LOOK, path];
  // Nothing of whoever calls is seen by it, keys least of all.
  const env = { PATH: process.env.PATH, HOME: folder, PITH_HOME: folder };
  try {
    const limits = { timeout: PATIENCE_MS, killSignal: "SIGKILL", maxBuffer: MOST } as const;
    const { stdout } = await run(process.execPath, args, { cwd: folder, env, ...limits });
    return seen(stdout);
  } catch (error) {
    const { stderr = "", message } = error as { readonly stderr?: string; readonly message: string };
    const [line = message] = stderr.split("\n").filter((each) => /^pith: /.test(each));
    return { type: "failed", message: line.replace(/^pith: /, "").split("\n")[0] ?? "" };
  }
}

/** It may have written there itself. */
function seen(text: string): LookedInto {
  const told = objectIn(text) ?? {};
  const isList = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string");
  if (!LISTS.every((name) => isList(told[name]))) return { type: "failed", message: "it says something else instead" };
  return { type: "seen", capabilities: told as unknown as Capabilities };
}

const LISTS = ["events", "tools", "commands", "states", "rules", "notes"];

/** Said to the program by itself, and by nobody else. */
export const LOOK = "__extension";

const run = promisify(execFile);
const PATIENCE_MS = 40_000;
const MOST = 1024 * 1024;

/** The program with all that it loads: its own folder, or where it is built of sources, the house around it. */
function readable(program: string, folder: string): readonly string[] {
  const own = program.endsWith(".ts") ? join(dirname(program), "../../..") : dirname(program);
  return [own, folder].map((each) => `--allow-fs-read=${each}${sep}*`);
}

/** The other side of `lookInto`, in the restricted process. */
export async function lookedInto(path: string): Promise<Capabilities> {
  const { loaded } = await import("./load.ts");
  const found: FoundExtension = { name: path, from: "user", path, stamp: "0" };
  const report = (): void => {};
  const { list, notes } = await assembled(loaded([found], report), { cwd: process.cwd(), report });
  return { ...NONE, name: path, ...list[0], notes };
}
