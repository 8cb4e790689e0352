/** `node scripts/install-program.ts FOLDER`: packs the program, installs it globally below the folder, as users do, and prints the file that starts it. */

import { execFileSync } from "node:child_process";
import { join, resolve } from "node:path";
import { findNpmCli } from "./install-trial/nodes.ts";

const folder = resolve(process.argv[2] ?? "");
const pack = join(import.meta.dirname, "pack-packages.ts");
const stdio: ["ignore", "pipe", "inherit"] = ["ignore", "pipe", "inherit"];
const tarball = execFileSync(process.execPath, [pack, folder, "pith"], { encoding: "utf8", stdio }).trim();
const flags = ["--prefix", folder, "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error"];
execFileSync(process.execPath, [findNpmCli(), "install", "-g", ...flags, tarball], { stdio });
console.log(join(folder, "lib/node_modules/pith/dist/program/pith.mjs"));
