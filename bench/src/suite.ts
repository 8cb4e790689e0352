/** Runs suites of benchmarks and evaluations from the command line: parses its arguments, prints help and figures. */

import { parseArgs } from "node:util";

export interface Suite {
  readonly name: string;
  /** One line for the help. */
  readonly description: string;
  run(settings: SuiteOptions): Promise<Figures>;
}

export interface SuiteOptions {
  /** A short version that ends within 45 s. */
  readonly quick: boolean;
  readonly seed: number;
  /** A folder with texts or sessions to use instead of made-up ones. */
  readonly corpus: string | undefined;
  /** A file with what an evaluation plants, instead of made-up facts. */
  readonly facts: string | undefined;
  /** A folder for what was measured, to be read by people. */
  readonly out?: string | undefined;
  /** Whether other programs run beside ours (true unless said). */
  readonly peers?: boolean;
  /** Progress and tables for people; silent figures go into the result. */
  readonly log: (text: string) => void;
}

/** Named numbers, in the order they are shown. */
export type Figures = Readonly<Record<string, number | string>>;

/** The whole program: a mistake in the call or a run that cannot go on ends in one sentence. */
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
      console.error(`\n${command}: ${positionals[0] ? `there is no suite "${positionals[0]}"` : "which suite?"}`);
    process.exitCode = values.help ? 0 : 2;
    return;
  }
  // With --json stdout carries figures only; people read the rest on stderr.
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
  --json         figures as one JSON object on the last line of stdout
  --seed N       the same made-up data again (default 1)
  --corpus DIR   use what lies in DIR instead of made-up data
  --facts FILE   plant what this JSON file says instead of made-up facts (suites that plant any)
  --out DIR      write the texts that were measured into DIR (eval played)
  --no-peers     leave other programs out (eval played)

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
