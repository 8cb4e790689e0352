/** Waits for something, but only for so long; no clock is left behind. */

/** Whether it came in time, however it ended. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const clock = setTimeout(() => late.resolve(false), ms);
  const came = (): boolean => true;
  return await Promise.race([work.then(came, came), late.promise]).finally(() => clearTimeout(clock));
}
