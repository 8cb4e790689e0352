/** Runs each command of a project outside and inside the sandbox, collects what differs (exit codes and the tree), and lists what may differ. */

import { execFileSync } from "node:child_process";
import { type Tree, TreeReader } from "./list-tree.ts";
import { createMachine, type Machine, type Side } from "./machine.ts";
import { nameOf, type OrdinaryCommand, type Project, withPort } from "./project.ts";
import { type CommandResult, InsideShell, type OrdinaryShell, OutsideShell, type Question } from "./shells.ts";

/** Something that a command made differ. What an earlier command made differ is not repeated. */
export interface Difference {
  readonly project: string;
  readonly command: string;
  /** `exit code`, or a path of the tree. */
  readonly what: string;
  readonly outside: string;
  readonly inside: string;
}

export interface Comparison {
  readonly project: string;
  readonly commands: number;
  readonly differences: readonly Difference[];
  readonly questions: readonly Question[];
  /** Commands that did not end outside as their project says: what is compared with them proves little. */
  readonly unexpected: readonly string[];
}

export async function compareProject(
  project: Project,
  onProgress: (line: string) => void = () => {},
): Promise<Comparison> {
  const machine = await createMachine(project);
  const outside = new OutsideShell(machine);
  const inside = await InsideShell.start(machine);
  try {
    return await compareCommands(machine, { outside, inside }, onProgress);
  } finally {
    await outside.close();
    await inside.close();
    machine.remove();
  }
}

interface Shells {
  readonly outside: OrdinaryShell;
  readonly inside: InsideShell;
}

async function compareCommands(
  machine: Machine,
  { outside, inside }: Shells,
  onProgress: (line: string) => void,
): Promise<Comparison> {
  const { project } = machine;
  const readers = { outside: createReader(machine, "outside"), inside: createReader(machine, "inside") };
  const differences: Difference[] = [];
  const unexpected: string[] = [];
  let known = compareTrees(readers.outside.read(), readers.inside.read());
  if (known.size > 0)
    throw new Error(`the trees of ${project.name} differ before the first command: ${JSON.stringify([...known])}`);
  for (const command of project.commands) {
    const words = withPort(command, machine.port);
    const [left, right] = await Promise.all([outside.run(words), inside.run(words)]);
    const now = compareTrees(readers.outside.read(), readers.inside.read());
    const found = describeDifferences({ project, command, left, right, known, now });
    differences.push(...found);
    const fails = command.type === "run" && command.fails === true;
    if ((left.exitCode !== 0) !== fails) unexpected.push(`${nameOf(command)}: ${left.exitCode} ${left.text}`);
    known = now;
    onProgress(`${left.exitCode} ${right.exitCode} ${project.name}: ${nameOf(command)}`);
    if (left.exitCode !== right.exitCode) onProgress(indent(`outside: ${left.text}\ninside: ${right.text}`));
    for (const each of found) onProgress(indent(`${each.what}\n- ${each.outside}\n+ ${each.inside}`));
  }
  const { questions } = inside;
  for (const { title, answer } of questions) onProgress(`question: ${title}\n    answer: ${answer}`);
  return { project: project.name, commands: project.commands.length, differences, questions, unexpected };
}

function createReader(machine: Machine, side: Side): TreeReader {
  return new TreeReader(machine.folderOn(side), (script, folder) => {
    const [program = "", ...words] = machine.enter(side, ["bash", "-c", script, "bash", folder], { folder: "" });
    return execFileSync(program, words, {
      encoding: "utf8",
      env: machine.environment,
      stdio: ["ignore", "pipe", "ignore"],
    });
  });
}

type TreeDifferences = ReadonlyMap<string, Pick<Difference, "outside" | "inside">>;

function compareTrees(outside: Tree, inside: Tree): TreeDifferences {
  const paths = [...new Set([...outside.keys(), ...inside.keys()])].toSorted();
  const look = (tree: Tree, path: string): string => tree.get(path) ?? "absent";
  return new Map(
    paths
      .map((path) => [path, { outside: look(outside, path), inside: look(inside, path) }] as const)
      .filter(([, looks]) => looks.outside !== looks.inside),
  );
}

interface CommandOutcome {
  readonly project: Project;
  readonly command: OrdinaryCommand;
  readonly left: CommandResult;
  readonly right: CommandResult;
  readonly known: TreeDifferences;
  readonly now: TreeDifferences;
}

function describeDifferences({ project, command, left, right, known, now }: CommandOutcome): readonly Difference[] {
  const named = { project: project.name, command: nameOf(command) };
  const isNew = ([path, { outside, inside }]: readonly [string, Pick<Difference, "outside" | "inside">]): boolean =>
    known.get(path)?.outside !== outside || known.get(path)?.inside !== inside;
  const codes = { what: "exit code", outside: `${left.exitCode}`, inside: `${right.exitCode}` };
  return [
    ...(left.exitCode === right.exitCode ? [] : [{ ...named, ...codes }]),
    ...[...now].filter(isNew).map(([what, looks]) => ({ ...named, what, ...looks })),
  ];
}

const indent = (text: string): string =>
  text
    .split("\n")
    .slice(0, 40)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join("\n");

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
