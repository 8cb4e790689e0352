/** The compaction costs of other programs, measured once with the same task and the same cost. They are printed for comparison and not used in any figure. */

export const OTHER_PEERS = `Other programs, measured on 2026-11-14 on 80 rounds of 12 KB in a window of 100,000 tokens, with summaries of 250 bytes. Cached input is the
longest prefix that any earlier request shares, and not, as here, what the provider's cache marks allow. k tokens:

                            compactions  context  cached share of summaries  summary equivalent  rebuilt, uncached  whole task
  Claude Code 2.1.325       5            65.5     0.98                       8.2                 36                 661
  opencode 1.18.33          3            85.7     0                          12.4                38                 688
  codex-cli 0.166.0         3            88.6     0.04                       86                  5                  877
  (pi 1.5.0, the same day)  3            82.7     0                          11.8                56                 678`;
