/** The bytes that mean something to a terminal, by their names. */

export const BELL = 0x07;
export const TAB = 0x09;
export const NEWLINE = 0x0a;
export const RETURN = 0x0d;
export const ESCAPE = 0x1b;
export const SPACE = 0x20;
export const ZERO = 0x30;
export const AT = 0x40;
export const CAPITAL_G = 0x47;
export const BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const DELETE = 0x7f;
