/** The port through which every call of a model and of a tool goes: locally it just runs, hosted it is written down and not run twice. */

/** `id` is that of the entry which the act leaves in the log: the same when the same run is played again. */
export type Step = <Outcome>(id: string, run: () => Promise<Outcome>) => Promise<Outcome>;

export const atOnce: Step = (_, run) => run();
