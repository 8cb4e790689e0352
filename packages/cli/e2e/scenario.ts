/** One thing a person does with the program in a real terminal, from the start to what must be seen in the end. */

import type { TestWorkspace } from "./support/test-workspace.ts";

export interface Scenario {
  /** As it is called on the command line. */
  readonly name: string;
  /** What is promised, in one sentence. */
  readonly says: string;
  /** Whatever it starts it hands to `keep`, so that it ends however this ends; what it returns is worth knowing, such as a figure. */
  run(keep: Keep): Promise<string>;
}

export type Keep = (making: Promise<TestWorkspace>) => Promise<TestWorkspace>;

export interface Outcome {
  readonly name: string;
  readonly isPassed: boolean;
  /** What is worth knowing, or why it failed. */
  readonly note: string;
  readonly seconds: number;
}

export async function runScenario({ name, run }: Scenario): Promise<Outcome> {
  const workspaces: TestWorkspace[] = [];
  const start = Date.now();
  const seconds = (): number => (Date.now() - start) / 1000;
  try {
    const note = await run(async (making) => {
      const workspace = await making;
      workspaces.push(workspace);
      return workspace;
    });
    return { name, isPassed: true, note, seconds: seconds() };
  } catch (error) {
    const note = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { name, isPassed: false, note, seconds: seconds() };
  } finally {
    for (const workspace of workspaces) await workspace.remove();
  }
}

export function expectThat(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Error(otherwise);
}
