import { PrintableError } from '../../schema/printable-error.ts'

/** Errors of every command line of the repository: `rate-search` and the commands of operators. */

/** The command line is wrong; exit code 2. */
export class UsageError extends PrintableError {}

/** The command failed for an expected reason; its message says everything. */
export class CommandFailed extends PrintableError {
  /** 3 if the command itself worked, but what it reports on failed. */
  readonly exitCode: 1 | 3

  constructor(message: string, exitCode: 1 | 3 = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

/** Ctrl-C stopped the command; exit code 130 of `rate-search`, 1 of the commands of operators. */
export class Interrupted extends CommandFailed {
  constructor(message = 'stopped by Ctrl-C') {
    super(message)
  }
}
