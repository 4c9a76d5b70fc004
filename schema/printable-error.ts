/** An error whose message says on its own what is wrong and what to do, so that commands print it without its class. */
export abstract class PrintableError extends Error {}
