/** Tells whether a command line acts on something that others see, such as `git push`, `npm publish` or `ssh`. */

import { parseShellLine, type ShellWord } from "@pith/context/host";
import { withoutGitOptions } from "./git-commands.ts";
import { programName, WRAPPERS } from "./wrapper-programs.ts";

/** A line that cannot be read is no such line: the sandbox holds it, and without one it is asked about anyway. */
export function actsOnRemote(line: string): boolean {
  return lineActsOnRemote(line, 0);
}

function lineActsOnRemote(line: string, depth: number): boolean {
  return (parseShellLine(line)?.commands ?? []).some(({ words }) => commandActsOnRemote(words, depth));
}

function commandActsOnRemote(words: readonly ShellWord[], depth: number): boolean {
  const name = programName(words[0]);
  if (name === null) return false;
  if (!WRAPPERS.has(name)) return programActsOnRemote(name, words, depth);
  // Which of a wrapper's words begins its command only the wrapper knows.
  const starts = words.slice(0, MAX_STARTS);
  return starts.some((word, index) => programActsOnRemote(programName(word), words.slice(index), depth));
}

const MAX_STARTS = 50;
const MAX_DEPTH = 3;

function programActsOnRemote(name: string | null, words: readonly ShellWord[], depth: number): boolean {
  if (name === null || words.slice(1).some((word) => word === "--version" || word === "--help")) return false;
  if (REMOTE_PROGRAMS.has(name)) return true;
  if (SHELLS.has(name)) return depth < MAX_DEPTH && innerLines(words).some((line) => lineActsOnRemote(line, depth + 1));
  if (name === "rsync") return words.slice(1).some((word) => word !== null && REMOTE_PATH.test(word));
  const pattern = REMOTE_SUBCOMMANDS.get(name);
  return (
    pattern !== undefined &&
    findSubcommands(withoutGitOptions([name, ...words.slice(1)])).some((subcommand) => pattern.test(subcommand))
  );
}

/** What a shell is given to run, as in `sh -c "git push"`. */
function innerLines(words: readonly ShellWord[]): readonly string[] {
  return words.flatMap((word, index) =>
    index > 0 && /^-\w*c$/.test(words[index - 1] ?? "") && word !== null ? [word] : [],
  );
}

/** The subcommand, with the word behind it. An option before it may have a value, so the next words may be it, too. */
function findSubcommands(words: readonly ShellWord[]): readonly string[] {
  const args = words.slice(1);
  const operands = args.filter((word): word is string => word !== null && !OPTION.test(word));
  const pairs = operands.map((word, index) => `${word} ${operands[index + 1] ?? ""}`);
  return pairs.slice(0, OPTION.test(args[0] ?? "") ? 3 : 1);
}

/** `+nightly` chooses a toolchain of cargo's. */
const OPTION = /^[-+]/;

const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "zsh", "dash", "ksh", "ash"]);

/** They do little else. */
const REMOTE_PROGRAMS: ReadonlySet<string> = new Set([
  ...["ssh", "scp", "sftp", "mosh", "gh", "glab", "kubectl", "oc", "aws", "gcloud", "az", "doctl"],
  ...["fly", "flyctl", "vercel", "netlify", "heroku", "wrangler", "firebase"],
]);

/** `host:path` or an address. */
const REMOTE_PATH = /^(?:[^/:]+:|rsync:\/\/)/;

/** Each with its subcommands that act on a remote. */
const REMOTE_SUBCOMMANDS: ReadonlyMap<string, RegExp> = new Map([
  ...subcommandsFor(
    ["git"],
    "push|send-email|request-pull|send-pack|http-push|lfs push|subtree push|svn dcommit|p4 submit",
  ),
  ...subcommandsFor(["hg"], "push|email"),
  ...subcommandsFor(["npm", "pnpm", "bun"], "publish|unpublish|deprecate|dist-tag"),
  ...subcommandsFor(["yarn"], "publish|npm publish"),
  ...subcommandsFor(["cargo"], "publish|yank|owner"),
  ...subcommandsFor(["twine"], "upload"),
  ...subcommandsFor(["poetry", "uv", "hatch", "flit", "pdm"], "publish"),
  ...subcommandsFor(["gem"], "push|yank"),
  ...subcommandsFor(["docker", "podman", "buildah"], "push|image push|compose push|manifest push"),
  ...subcommandsFor(["helm"], "push|install|upgrade|uninstall"),
  ...subcommandsFor(["terraform", "tofu"], "apply|destroy"),
  ...subcommandsFor(["pulumi"], "up|update|destroy"),
  ...subcommandsFor(["mvn"], "deploy"),
]);

function subcommandsFor(programs: readonly string[], subcommands: string): readonly (readonly [string, RegExp])[] {
  return programs.map((program) => [program, new RegExp(`^(?:${subcommands})(?: |$)`)]);
}
