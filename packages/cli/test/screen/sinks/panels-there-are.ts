/** Every file of the screen that makes a panel, found by looking. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const screen = join(import.meta.dirname, "../../../src/screen");

/** Paths from the folder of the screen. */
export function panelsThereAre(): readonly string[] {
  return readdirSync(screen, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(".ts") && MAKES_PANEL.test(readFileSync(join(screen, path), "utf8")))
    .filter((path) => !path.startsWith("plain/"))
    .sort();
}

/** What a function gives, if it is a panel. */
const MAKES_PANEL = /\): Panel<[^;]*> \{$/m;
