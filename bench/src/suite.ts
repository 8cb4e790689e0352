/** Runs a suite of benchmarks or evaluations from the command line: parses the arguments, prints help and figures. */

import { parseArgs } from "node:util";

export interface Suite {
  readonly name: string;
  /** One line for the help text. */
  readonly description: string;
  run(options: SuiteOptions): Promise<Figures>;
}

export interface SuiteOptions {
  /** A short version that ends within 45 s. */
  readonly quick: boolean;
  readonly seed: number;
  /** A folder with texts or sessions to use instead of generated ones. */
  readonly corpus: string | undefined;
  /** A file with the facts that an evaluation plants, instead of generated ones. */
  readonly facts: string | undefined;
  /** A folder to write the measured texts to. */
  readonly out?: string | undefined;
  /** Whether to compare with other programs. Default: true. */
  readonly peers?: boolean;
  /** Prints progress and tables. The figures are returned. */
  readonly log: (text: string) => void;
}

/** Figures by name, in the order in which they are shown. */
export type Figures = Readonly<Record<string, number | string>>;

/** Runs the program. An error prints one line and sets the exit code. */
export async function runSuites(command: string, suites: readonly Suite[], args: readonly string[]): Promise<void> {
  try {
    await runSuite(command, suites, args);
  } catch (error) {
    console.error(`${command}: ${error instanceof Error ? error.message : error}`);
    process.exitCode = 1;
  }
}

async function runSuite(command: string, suites: readonly Suite[], args: readonly string[]): Promise<void> {
  const { values, positionals } = parseArgs({ args: [...args], options: cliOptions, allowPositionals: true });
  const suite = suites.find(({ name }) => name === positionals[0]);
  if (values.help || !suite) {
    console.log(formatHelp(command, suites));
    if (!values.help)
      console.error(`\n${command}: ${positionals[0] ? `unknown suite "${positionals[0]}"` : "name a suite"}`);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  // With --json, stdout has only the figures, and progress goes to stderr.
  const log = (text: string): void => (values.json ? console.error(text) : console.log(text));
  const seed = Number(values.seed);
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed takes a whole number, not "${values.seed}"`);
  const { quick, corpus, facts, out } = values;
  const figures = await suite.run({ quick, seed, corpus, facts, out, peers: !values["no-peers"], log });
  const result = { suite: suite.name, seed, quick, ...figures };
  console.log(values.json ? JSON.stringify(result) : formatTable(figures));
}

const cliOptions = {
  quick: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  seed: { type: "string", default: "1" },
  corpus: { type: "string" },
  facts: { type: "string" },
  out: { type: "string" },
  "no-peers": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

function formatHelp(command: string, suites: readonly Suite[]): string {
  const width = Math.max(...suites.map(({ name }) => name.length));
  return `pnpm ${command} SUITE [--quick] [--json] [--seed N] [--corpus DIR] [--facts FILE] [--out DIR] [--no-peers]

${suites.map(({ name, description }) => `  ${name.padEnd(width)}  ${description}`).join("\n")}

  --quick        a short version that ends within 45 s
  --json         print the figures as one JSON object on the last line of stdout
  --seed N       the seed of generated data (default 1)
  --corpus DIR   use the files in DIR instead of generated data
  --facts FILE   plant the facts of this JSON file instead of generated ones (suites that plant facts)
  --out DIR      write the measured texts to DIR (eval played)
  --no-peers     do not compare with other programs (bench compaction, eval played)

  pnpm ${command} ${suites[0]?.name} --quick --json`;
}

function formatTable(figures: Figures): string {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  const rows = Object.entries(figures).map(([name, value]) => `  ${name.padEnd(width)}  ${formatValue(value)}`);
  return `\n${rows.join("\n")}`;
}

function formatValue(value: number | string): string {
  return typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(3) : String(value);
}
