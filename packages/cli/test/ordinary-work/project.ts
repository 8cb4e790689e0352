/** Defines a project and the commands that a coding agent runs in it in one session. */

/** The word PORT in a command stands for the number of a free port. `start` runs a command beside the next ones until `stop` ends it. */
export type OrdinaryCommand =
  | { readonly type: "run"; readonly command: string; readonly fails?: true }
  | { readonly type: "start"; readonly name: string; readonly command: string }
  | { readonly type: "stop"; readonly name: string };

export interface Project {
  readonly name: string;
  /** The folder of the project in the home. */
  readonly folder: string;
  /** Where in the project the agent is started; default: its folder. */
  readonly startsIn?: string;
  readonly files: Readonly<Record<string, string>>;
  /** What the user did before the session. */
  readonly before?: string;
  /** Whether packages are fetched from a registry. */
  readonly needsRegistry: boolean;
  /** Programs that have to be installed. */
  readonly tools: readonly string[];
  readonly commands: readonly OrdinaryCommand[];
}

export const run = (command: string): OrdinaryCommand => ({ type: "run", command });
/** A command that fails in ordinary work, too. */
export const runFailing = (command: string): OrdinaryCommand => ({ type: "run", command, fails: true });
export const start = (name: string, command: string): OrdinaryCommand => ({ type: "start", name, command });
export const stop = (name: string): OrdinaryCommand => ({ type: "stop", name });

/** How a report and the table of deviations name a command. */
export function nameOf(command: OrdinaryCommand): string {
  switch (command.type) {
    case "run":
      return command.command;
    case "start":
      return `start ${command.name}: ${command.command}`;
    case "stop":
      return `stop ${command.name}`;
  }
}

export function withPort(command: OrdinaryCommand, port: number): OrdinaryCommand {
  return command.type === "stop"
    ? command
    : { ...command, command: command.command.replaceAll(/\bPORT\b/g, `${port}`) };
}
