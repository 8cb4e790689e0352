/** A page of a terminal as a PNG, drawn by Chromium. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pageSize } from "./page.ts";

export function drawPage(page: string, { columns, rows }: { readonly columns: number; readonly rows: number }): Buffer {
  const place = mkdtempSync(join(tmpdir(), "pith-picture-"));
  const [html, png] = [join(place, "page.html"), join(place, "page.png")];
  try {
    const { width, height } = pageSize(columns, rows);
    writeFileSync(html, page);
    const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--force-device-scale-factor=2"];
    const where = [`--window-size=${width},${height}`, `--user-data-dir=${place}`, `--screenshot=${png}`];
    execFileSync("chromium", [...flags, ...where, `file://${html}`], { stdio: "ignore" });
    return readFileSync(png);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}
