/** What may differ inside the sandbox, each with its reason. An entry that no longer differs fails the comparison. */

import type { Difference } from "./compare.ts";

export interface Deviation {
  readonly project: string;
  /** The command as the project names it, or what it starts with. */
  readonly command: string | RegExp;
  /** `exit code` or paths of the tree. */
  readonly what: string | RegExp;
  readonly reason: string;
}

const OUTER_FOLDER =
  "pnpm writes the lock file and the packages of a monorepo at its root, outside of the workspace that the agent was started in; the result says so and names `sandboxWrite` and `outside: true`";
const PLACEHOLDERS =
  "while a command runs, in the background too, the names in `.git` that make git run programs are held by placeholders; they are gone after it";
const EMPTY_FOLDER =
  "the folder of git's worktrees stays, empty, because it was mounted while the command ran; git removes it later";

export const deviations: readonly Deviation[] = [
  ...["npm", "monorepo", "python", "go"].map((project) => ({
    ...{ project, command: /^start /, what: ".git: names", reason: PLACEHOLDERS },
  })),
  {
    project: "npm",
    command: "printf 'npm test\\n' > .husky/pre-commit",
    what: "exit code",
    reason:
      "a hook is a program that git runs outside the sandbox, so only `write` and `edit` change it, after a question",
  },
  { project: "npm", command: /^git worktree remove/, what: ".git: names", reason: EMPTY_FOLDER },
  { project: "go", command: /^git worktree remove|^git fetch/, what: ".git: names", reason: EMPTY_FOLDER },
  { project: "monorepo", command: "pnpm -r test", what: /^node_modules/, reason: OUTER_FOLDER },
  { project: "monorepo", command: /^pnpm (?:add|remove) /, what: /.*/, reason: OUTER_FOLDER },
  { project: "monorepo", command: /^rm -rf node_modules dist/, what: /.*/, reason: OUTER_FOLDER },
  {
    project: "monorepo",
    command: "echo '// words' >> ../words/index.js",
    what: /^(?:exit code|packages\/words|.git: status packages\/words)/,
    reason:
      "another package of the monorepo is outside of the workspace that the agent was started in; commands can read it",
  },
];

export function isDeviation({ project, command, what }: Deviation, difference: Difference): boolean {
  if (project !== difference.project || !matches(command, difference.command)) return false;
  return matches(what, difference.what);
}

function matches(pattern: string | RegExp, text: string): boolean {
  return typeof pattern === "string" ? pattern === text : pattern.test(text);
}
