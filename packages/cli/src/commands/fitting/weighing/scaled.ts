/** Estimates by the letter, brought to what was measured: whole numbers that add up to it. Pure. */

/** Where the boundary between two lies depends on the sums before and behind it alone, however finely these are parted. */
export function scaled<Part extends { readonly tokens: number }>(
  parts: readonly Part[],
  tokens: number,
): readonly Part[] {
  const sum = parts.reduce((all, part) => all + part.tokens, 0);
  if (sum === 0 || tokens <= 0) return parts.map((part) => ({ ...part, tokens: 0 }));
  let before = 0;
  return parts.map((part) => {
    const from = Math.round((tokens * before) / sum);
    before += part.tokens;
    return { ...part, tokens: Math.round((tokens * before) / sum) - from };
  });
}
