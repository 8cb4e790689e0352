/** Lines for people who wait: one every two seconds, and none for what is quick. */

export function progress(note: (line: string) => void, now: () => number = Date.now): (line: string) => void {
  let told = now();
  return (line) => {
    if (now() - told < PATIENCE) return;
    told = now();
    note(`· ${line}`);
  };
}

const PATIENCE = 2_000;
