import * as v from 'valibot'
import { text } from './environment.ts'
import { listFaults } from './list-faults.ts'
import { type LoadOrder, loadOrder } from './load-order.ts'
import { PrintableError } from './printable-error.ts'

/** The program of a load by many workers: `node load-step.mjs <step>`, told by its environment what to work on. */

/** In this order; `work` runs many times at once. */
export const loadSteps = ['plan', 'work', 'finish'] as const

export type LoadStep = (typeof loadSteps)[number]

/** Exit codes of the program. */
export const stepExit = {
  /** The step did its part. Files that were refused are the load's business. */
  done: 0,
  /** The step failed; one line of the log says why. */
  failed: 1,
  /** Wrong arguments or environment. */
  misused: 2,
  /** Ended by SIGTERM, as for Spot capacity that is reclaimed: run the step again. */
  interrupted: 143,
} as const

/** The program's environment variables. The AWS SDK reads its own. */
export const stepEnvironment = v.object({
  LOAD_ID: v.pipe(text, v.regex(/^[A-Za-z0-9-]{1,64}$/, 'must have 1 to 64 letters, digits and hyphens')),
  CATALOGUE_TABLE: text,
  CONTENTS_TABLE: text,
  /** `s3://bucket/prefix/`, or `file:///folder/` for the warehouse of a local service. */
  RATES_LOCATION: v.pipe(
    text,
    v.regex(
      /^(s3:\/\/[^/]+|file:\/\/)\/(.*\/)?$/,
      'must be s3://bucket/prefix/ or file:///folder/, with a slash at its end',
    ),
  ),
  /** An existing local folder for temporary files. */
  SCRATCH_FOLDER: text,
  /** The log names it, as a dimension of metrics. */
  STAGE_NAME: v.optional(text),
  /** JSON of a load's order (load-order.ts), for the step `plan` of a load that has none yet. */
  LOAD_ORDER: v.optional(v.string()),
  /** Months for which `finish` keeps contents for searches when it deletes unused ones; not set: it deletes nothing. */
  CLEAN: v.optional(v.string()),
  /** Set by AWS Batch; they name the worker in the log. */
  AWS_BATCH_JOB_ID: v.optional(v.string()),
  AWS_BATCH_JOB_ARRAY_INDEX: v.optional(v.string()),
  AWS_BATCH_JOB_ATTEMPT: v.optional(v.string()),
})

export type StepEnvironment = v.InferOutput<typeof stepEnvironment>

/** The step program was started with wrong arguments or variables. */
export class StepMisused extends PrintableError {}

/** @throws StepMisused naming every variable that is missing or not valid */
export function readStepEnvironment(source: Readonly<Record<string, string | undefined>>): StepEnvironment {
  const variables = Object.fromEntries(
    Object.entries(source).filter(([, value]) => value !== undefined && value !== ''),
  )
  const parsed = v.safeParse(stepEnvironment, variables)
  if (parsed.success) return parsed.output
  const faults = listFaults(parsed.issues)
  throw new StepMisused(`the environment of the load's step is not valid: ${[...new Set(faults)].join('; ')}`)
}

/** @throws StepMisused */
export function readStep(args: readonly string[]): LoadStep {
  const [name, ...more] = args
  const step = loadSteps.find((each) => each === name)
  if (step !== undefined && more.length === 0) return step
  throw new StepMisused(`name one step: ${loadSteps.join(', ')}`)
}

/**
 * Reads the order of a load that is started by its environment.
 *
 * @returns undefined for no order, or `{}`
 * @throws StepMisused naming each fault
 */
export function readGivenOrder({ LOAD_ORDER = '{}' }: Pick<StepEnvironment, 'LOAD_ORDER'>): LoadOrder | undefined {
  if (/^\s*\{\s*\}\s*$/.test(LOAD_ORDER)) return undefined
  const parsed = v.safeParse(givenOrder, LOAD_ORDER)
  if (parsed.success) return parsed.output
  throw new StepMisused(`LOAD_ORDER is not valid: ${listFaults(parsed.issues).join('; ')}`)
}

const givenOrder = v.pipe(v.string(), v.parseJson(undefined, 'is not JSON'), loadOrder)
