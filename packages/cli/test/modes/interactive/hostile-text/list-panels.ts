/** Finds every function of the interactive mode that returns a panel, by reading the sources. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const interactive = join(import.meta.dirname, "../../../../src/modes/interactive");

/** The names of the functions, sorted. */
export function listPanelFunctions(): readonly string[] {
  return readdirSync(interactive, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => panelFunctions(readFileSync(join(interactive, path), "utf8")))
    .sort();
}

function panelFunctions(text: string): readonly string[] {
  return text
    .split(/^(?=(?:export )?function )/m)
    .filter((piece) => RETURNS_PANEL.test(piece))
    .flatMap((piece) => /^(?:export )?function (\w+)/.exec(piece)?.[1] ?? []);
}

/** The parameters may stand on several lines. */
const RETURNS_PANEL = /^(?:(?:export )?function .*|\}: .*)?\): Panel<[^;]*> \{$/m;
