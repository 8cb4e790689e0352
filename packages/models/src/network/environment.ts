/** The variables of a process, as plain data. */

export type Environment = Readonly<Record<string, string | undefined>>;
