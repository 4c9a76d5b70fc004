import fc from 'fast-check'

/** How a rule is tried: with so many values, from a seed and a path within it where what was found is looked at again. */
export interface Trial {
  readonly numRuns: number
  readonly seed?: number | undefined
  readonly path?: string | undefined
  /** Ends the trial, also the search for a smaller value, after so many milliseconds. */
  readonly interruptAfterTimeLimit?: number | undefined
}

export interface Outcome {
  readonly runs: number
  /** The smallest value that breaks the rule, why, and the seed and path that lead back to it. */
  readonly failure?: string
}

/** One thing that must hold whatever a surface is given. */
export interface Rule {
  /** In kebab case: what the command line calls it. */
  readonly name: string
  /** Values that the short form tries, inside the test suite. */
  readonly shortRuns: number
  check(trial: Trial): Promise<Outcome>
}

/** A place where what strangers send comes in. */
export interface Surface {
  readonly name: string
  readonly rules: readonly Rule[]
}

/** Makes a rule of a property of fast-check. */
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

const longestReport = 4000

async function describeFailure<Values>(details: fc.RunDetails<Values>): Promise<string> {
  const { errorInstance } = details
  const cause = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  const report = (await fc.asyncDefaultReportMessage(details)) ?? ''
  // A value of a megabyte is not read by anybody: the seed leads back to it.
  const shorten = (text: string) => (text.length > longestReport ? `${text.slice(0, longestReport)}…` : text)
  return `${shorten(report)}\n\n${shorten(cause)}`
}
