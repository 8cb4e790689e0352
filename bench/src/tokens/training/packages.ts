/** Real texts to measure the weights on: files of npm packages, fetched into an ignored folder and never committed. */

import { execFileSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Kind } from "../kind.ts";

const folder = join(import.meta.dirname, "../../../../.peers/texts");

const packages: readonly string[] = [
  "@uppy/locales@5.0.0",
  "bats@1.12.0",
  "bootstrap@5.3.8",
  "emojibase-data@16.0.3",
  "i18n-iso-countries@7.14.0",
  "jquery@3.7.1",
  "nan@2.23.0",
  "npm@11.6.2",
  "react-dom@18.3.1",
  "typescript@5.9.3",
  "vega-datasets@3.2.1",
];

/** The files of each pattern together are one kind. */
const joined: readonly string[] = [
  "npm/docs/content/**/*.md",
  "npm/docs/output/commands/*.html",
  "npm/lib/commands/*.js",
  "npm/man/**/*.[157]",
  "npm/node_modules/*/LICENSE*",
  "npm/node_modules/*/package.json",
  "npm/node_modules/node-gyp/gyp/pylib/**/*.py",
  "bats/{lib,libexec}/**/*",
  "nan/*.h",
];

/** Each file is a kind of its own. */
const single: readonly string[] = [
  "typescript/lib/typescript.{js,d.ts}",
  "typescript/lib/*/diagnosticMessages.generated.json",
  "@uppy/locales/lib/{ar_SA,el_GR,fa_IR,fi_FI,he_IL,hi_IN,hu_HU,ja_JP,ko_KR,ru_RU,th_TH,vi_VN,zh_CN}.js",
  "i18n-iso-countries/langs/{am,bn,hy,ka,sw,ta}.json",
  "emojibase-data/en/{data,messages}.json",
  "vega-datasets/data/{airports,birdstrikes,seattle-weather,stocks}.csv",
  "vega-datasets/data/{earthquakes,flare,flights-2k,jobs,miserables,movies,us-10m}.json",
  "bootstrap/dist/css/bootstrap.{css,min.css,css.map}",
  "jquery/dist/jquery.{js,min.js}",
  "react-dom/umd/react-dom.production.min.js",
];

export function packageTexts(): readonly Kind[] {
  for (const name of packages) fetch(name);
  const texts = joined.map((pattern) => ({ name: pattern, text: files(pattern).map(read).join("\n") }));
  return [
    ...[...texts, ...single.flatMap(files).map((file) => ({ name: file, text: read(file) }))].map(middle),
    middle({ name: "paths", text: files("**/*").join("\n") }),
  ];
}

function files(pattern: string): readonly string[] {
  return globSync(pattern, { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function read(file: string): string {
  return readFileSync(join(folder, file), "utf8");
}

const LONGEST = 120_000;

function middle({ name, text }: Kind): Kind {
  const from = Math.max(0, Math.floor((text.length - LONGEST) / 2));
  return { name, text: text.slice(from, from + LONGEST) };
}

function fetch(packed: string): void {
  const home = join(folder, packed.slice(0, packed.lastIndexOf("@")));
  if (existsSync(home)) return;
  mkdirSync(join(home, ".."), { recursive: true });
  const fresh = mkdtempSync(join(folder, ".fetching-"));
  const printed = execFileSync("npm", ["pack", packed, "--silent", "--pack-destination", fresh], { encoding: "utf8" });
  const name = printed.trim().split("\n").at(-1) ?? "";
  execFileSync("tar", ["xzf", join(fresh, name), "-C", fresh]);
  renameSync(join(fresh, "package"), home);
  rmSync(fresh, { recursive: true });
}
