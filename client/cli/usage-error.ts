/** The command line is wrong; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Ctrl-C; exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** The user must decide about a search; exit code 1. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}
