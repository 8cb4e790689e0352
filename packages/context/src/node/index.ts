/** The door `@pith/context/node`: what needs a real machine. */

export { machine } from "./machine.ts";
