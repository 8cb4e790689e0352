/** Tells whether a command line acts on something that others see, such as `git push`, `npm publish` or `ssh`. */

import { parseShellLine, type ShellWord } from "@pith/context/host";
import { withoutOptions } from "./git-commands.ts";
import { programName, WRAPPERS } from "./shell-programs.ts";

/** A line that cannot be read is no such line: the sandbox holds it, and without one it is asked about anyway. */
export function actsOnRemote(line: string): boolean {
  return lineActs(line, 0);
}

function lineActs(line: string, depth: number): boolean {
  return (parseShellLine(line)?.commands ?? []).some(({ words }) => commandActs(words, depth));
}

function commandActs(words: readonly ShellWord[], depth: number): boolean {
  const name = programName(words[0]);
  if (name === null) return false;
  if (!WRAPPERS.has(name)) return programActs(name, words, depth);
  // Which of a wrapper's words begins its command only the wrapper knows.
  const starts = words.slice(0, MOST_STARTS);
  return starts.some((word, at) => programActs(programName(word), words.slice(at), depth));
}

const MOST_STARTS = 50;
const DEEPEST = 3;

function programActs(name: string | null, words: readonly ShellWord[], depth: number): boolean {
  if (name === null || words.slice(1).some((word) => word === "--version" || word === "--help")) return false;
  if (ALWAYS.has(name)) return true;
  if (SHELLS.has(name)) return depth < DEEPEST && innerLines(words).some((line) => lineActs(line, depth + 1));
  if (name === "rsync") return words.slice(1).some((word) => word !== null && REMOTE_PATH.test(word));
  const acts = SUBCOMMANDS.get(name);
  return acts !== undefined && subcommandsIn(withoutOptions([name, ...words.slice(1)])).some((each) => acts.test(each));
}

/** What a shell is given to run, as in `sh -c "git push"`. */
function innerLines(words: readonly ShellWord[]): readonly string[] {
  return words.flatMap((word, at) => (at > 0 && /^-\w*c$/.test(words[at - 1] ?? "") && word !== null ? [word] : []));
}

/** The subcommand, with the word behind it. An option before it may have a value, so the next words may be it, too. */
function subcommandsIn(words: readonly ShellWord[]): readonly string[] {
  const others = words.slice(1);
  const plain = others.filter((word): word is string => word !== null && !OPTION.test(word));
  const pairs = plain.map((word, at) => `${word} ${plain[at + 1] ?? ""}`);
  return pairs.slice(0, OPTION.test(others[0] ?? "") ? 3 : 1);
}

/** `+nightly` chooses a toolchain of cargo's. */
const OPTION = /^[-+]/;

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash"]);

/** They do little else. */
const ALWAYS: ReadonlySet<string> = new Set([
  ...["ssh", "scp", "sftp", "mosh", "gh", "glab", "kubectl", "oc", "aws", "gcloud", "az", "doctl"],
  ...["fly", "flyctl", "vercel", "netlify", "heroku", "wrangler", "firebase"],
]);

/** `host:path` or an address. */
const REMOTE_PATH = /^(?:[^/:]+:|rsync:\/\/)/;

/** Each with its subcommands that act on a remote. */
const SUBCOMMANDS: ReadonlyMap<string, RegExp> = new Map([
  ...acting(["git"], "push|send-email|request-pull|send-pack|http-push|lfs push|subtree push|svn dcommit|p4 submit"),
  ...acting(["hg"], "push|email"),
  ...acting(["npm", "pnpm", "bun"], "publish|unpublish|deprecate|dist-tag"),
  ...acting(["yarn"], "publish|npm publish"),
  ...acting(["cargo"], "publish|yank|owner"),
  ...acting(["twine"], "upload"),
  ...acting(["poetry", "uv", "hatch", "flit", "pdm"], "publish"),
  ...acting(["gem"], "push|yank"),
  ...acting(["docker", "podman", "buildah"], "push|image push|compose push|manifest push"),
  ...acting(["helm"], "push|install|upgrade|uninstall"),
  ...acting(["terraform", "tofu"], "apply|destroy"),
  ...acting(["pulumi"], "up|update|destroy"),
  ...acting(["mvn"], "deploy"),
]);

function acting(programs: readonly string[], subcommands: string): readonly (readonly [string, RegExp])[] {
  return programs.map((program) => [program, new RegExp(`^(?:${subcommands})(?: |$)`)]);
}
