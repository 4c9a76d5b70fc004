import fc from 'fast-check'

/** Extent of a check: the number of values, and the seed and path of a failure to reproduce it. */
export interface Trial {
  readonly numRuns: number
  readonly seed?: number | undefined
  readonly path?: string | undefined
  /** Stops the trial, including shrinking, after this many milliseconds. */
  readonly interruptAfterTimeLimit?: number | undefined
}

export interface Outcome {
  readonly runs: number
  /** The smallest value found that breaks the rule, the error, and the seed and path to reproduce it. */
  readonly failure?: string
}

/** A property that must hold for any input to a surface. */
export interface Rule {
  /** The name on the command line, in kebab case. */
  readonly name: string
  /** Number of values that the test suite tries. */
  readonly shortRuns: number
  check(trial: Trial): Promise<Outcome>
}

/** A place where untrusted input enters the service. */
export interface Surface {
  readonly name: string
  readonly rules: readonly Rule[]
}

/** Creates a rule from a fast-check property. */
export function rule<Values>(
  name: string,
  shortRuns: number,
  property: fc.IAsyncProperty<Values> | fc.IProperty<Values>,
): Rule {
  return {
    name,
    shortRuns,
    check: async ({ numRuns, seed, path, interruptAfterTimeLimit }) => {
      const details = await fc.check<Values>(property, {
        numRuns,
        ...(seed !== undefined && { seed }),
        ...(path !== undefined && { path }),
        ...(interruptAfterTimeLimit !== undefined && { interruptAfterTimeLimit }),
      })
      const runs = details.numRuns
      return details.failed ? { runs, failure: await describeFailure(details) } : { runs }
    },
  }
}

const maxReportLength = 4000

async function describeFailure<Values>(details: fc.RunDetails<Values>): Promise<string> {
  const { errorInstance } = details
  const cause = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  const report = (await fc.asyncDefaultReportMessage(details)) ?? ''
  // Nobody reads a value of a megabyte; the seed reproduces it.
  const shorten = (text: string) => (text.length > maxReportLength ? `${text.slice(0, maxReportLength)}…` : text)
  return `${shorten(report)}\n\n${shorten(cause)}`
}
