/** Runs pi's overflow check on rows and hostile texts from stdin, and prints results and times. Runs without network. */

import { text as wholeText } from "node:stream/consumers";

const { isContextOverflow } = await import(process.argv[2]);
const { rows, hostile } = JSON.parse(await wholeText(process.stdin));
const isOverflow = ({ provider, text }) => isContextOverflow({ stopReason: "error", errorMessage: text, provider });

const overflows = rows.map(isOverflow);
const times = hostile.map((text) => {
  const start = performance.now();
  isOverflow({ provider: "x", text });
  return performance.now() - start;
});
process.stdout.write(JSON.stringify({ overflows, hostileMs: Math.max(...times) }));
