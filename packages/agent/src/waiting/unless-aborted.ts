/** Something that is waited for only until somebody breaks it off. It goes on by itself, and nobody hears of it any more. */

/** Null as soon as it is aborted, whether or not it ever ends. */
export async function unlessAborted<Outcome>(awaited: Promise<Outcome>, signal: AbortSignal): Promise<Outcome | null> {
  const aborted = Promise.withResolvers<null>();
  const breakOff = (): void => aborted.resolve(null);
  if (signal.aborted) breakOff();
  signal.addEventListener("abort", breakOff);
  try {
    return await Promise.race([aborted.promise, awaited]);
  } finally {
    signal.removeEventListener("abort", breakOff);
  }
}
