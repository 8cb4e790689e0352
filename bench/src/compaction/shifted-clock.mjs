/** Moves the clock of the process that imports this file by CLOCK_SHIFT_MS milliseconds. */

const shift = Number(process.env.CLOCK_SHIFT_MS ?? 0);
const SystemDate = Date;

globalThis.Date = class extends SystemDate {
  constructor(...parts) {
    if (parts.length === 0) super(SystemDate.now() + shift);
    else super(...parts);
  }

  static now() {
    return SystemDate.now() + shift;
  }
};
