/** A mistake of whoever called: in the command line, in a setting, in a file that was named. The program says it and ends with 2. */

export interface Mistake {
  readonly type: "mistake";
  /** What is wrong, and what to write instead. */
  readonly message: string;
}

export function mistake(message: string): Mistake {
  return { type: "mistake", message };
}
