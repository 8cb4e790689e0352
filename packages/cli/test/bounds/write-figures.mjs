/** Loaded into a measured program: writes its peak memory and CPU time to a file when it ends. */

import { writeFileSync } from "node:fs";

process.on("exit", () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
  const figures = { peakMb: Math.round(maxRSS / 1024), cpuMs: Math.round((userCPUTime + systemCPUTime) / 1000) };
  writeFileSync(process.env.PITH_FIGURES, JSON.stringify(figures));
});
