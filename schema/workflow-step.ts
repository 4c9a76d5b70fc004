import * as v from 'valibot'

/**
 * What the steps of a job's workflow hand to one another: small handles, never the request, the SQL or a list of files.
 * The schemas are strict, so that a field which one step adds and the next does not know fails instead of vanishing.
 */

const count = v.pipe(v.number(), v.integer(), v.minValue(1))

/** One attempt at a job's query, so that the next attempt knows what came before. */
const attempt = {
  /** Counted from 1. Each attempt has its own prefix and query token. */
  attempt: count,
  /** How many attempts at the same statement failed before it; absent: none. */
  failures: v.exactOptional(count),
  /** The number of partitions that the rows are spread over; absent: Athena cuts the files. */
  spread: v.exactOptional(count),
}

export const nextStepSchema = v.variant('next', [
  /** A query runs: look after it. `waitMs` is how long the next look waits, kept between invocations. */
  v.strictObject({ next: v.literal('await'), queryId: v.string(), ...attempt, waitMs: v.number() }),
  /**
   * Start `attempt` after a pause: there was no room for it, or the one before failed for a reason of Athena's own or wrote
   * a file that is too large. `waits` counts the waits for a refresh that another job forced; absent: none.
   */
  v.strictObject({ next: v.literal('retry'), ...attempt, waitSeconds: v.number(), waits: v.exactOptional(count) }),
  /** The catalogue lacks a fee schedule: read the operator's own relation again, then start the job again. */
  v.strictObject({ next: v.literal('refresh') }),
  /** The query has written its files; `manifest` lists them, and is absent if there are none. */
  v.strictObject({
    next: v.literal('publish'),
    queryId: v.string(),
    ...attempt,
    manifest: v.exactOptional(v.string()),
    /** Bytes that the query read; absent if Athena did not say. */
    bytesScanned: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  }),
  /** The job has ended, or another execution owns it. */
  v.strictObject({ next: v.literal('end') }),
])

/** Names a job and its run in every event of the workflow. */
export const jobRunEntries = { orgId: v.string(), jobId: v.string(), run: v.string() }

/** What a step is invoked with; `step` is what the step before returned, absent in the first. */
export const stepInputSchema = v.strictObject({ ...jobRunEntries, step: v.exactOptional(nextStepSchema) })

/** What a step returns: the workflow branches on `next`; errors are for what nobody expected. */
export type NextStep = Readonly<v.InferOutput<typeof nextStepSchema>>

export type Attempt = Readonly<v.InferOutput<v.StrictObjectSchema<typeof attempt, undefined>>>

export type AwaitStep = Extract<NextStep, { next: 'await' }>
export type PublishStep = Extract<NextStep, { next: 'publish' }>

export type StepInput = Readonly<Omit<v.InferOutput<typeof stepInputSchema>, 'step'> & { readonly step?: NextStep }>
