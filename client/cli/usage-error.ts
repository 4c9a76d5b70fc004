/** The command line is wrong; exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Ctrl-C; exit code 130. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

/** The message says everything. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
  readonly exitCode: 1 | 3

  constructor(message: string, exitCode: 1 | 3 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}
