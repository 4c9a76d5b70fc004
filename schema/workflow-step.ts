import * as v from 'valibot'

/**
 * The inputs and results of the workflow's steps: ids only, never the request, SQL or lists of files. The schemas are
 * strict, so that a field that one step adds and the next does not know is an error and does not vanish.
 */

const count = v.pipe(v.number(), v.integer(), v.minValue(1))

/** One attempt at a job's query. */
const attempt = {
  /** Counted from 1. Each attempt has its own prefix and query token. */
  attempt: count,
  /** Number of failed attempts at the same statement before this one; absent: none. */
  failures: v.exactOptional(count),
  /** Number of partitions that the rows are spread over; absent: Athena chooses the number of files. */
  spread: v.exactOptional(count),
  /** `other`: the query joins in the other order, because it ran out of memory in the one that the request decides. */
  joinOrder: v.exactOptional(v.literal('other')),
  /** `folders`: the statement names folders, because the query of an earlier attempt could not read its lists. */
  searchFiles: v.exactOptional(v.literal('folders')),
}

export const nextStepSchema = v.variant('next', [
  /**
   * A query is running. `waitMs` is the next poll interval, kept between invocations. `hasRows` says that loads have
   * counted rows in what it reads, `isListed` that it opens only the files of its lists, and `mayUseFolders` that the
   * search is repeated with folders if these lists do not work.
   */
  v.strictObject({
    next: v.literal('await'),
    queryId: v.string(),
    ...attempt,
    waitMs: v.number(),
    hasRows: v.exactOptional(v.boolean()),
    isListed: v.exactOptional(v.boolean()),
    mayUseFolders: v.exactOptional(v.boolean()),
  }),
  /**
   * Start `attempt` after a pause: Athena had no capacity, the previous attempt failed because of Athena, or it wrote a
   * file that is too large. `waits` counts the waits for a refresh; absent: none.
   */
  v.strictObject({ next: v.literal('retry'), ...attempt, waitSeconds: v.number(), waits: v.exactOptional(count) }),
  /**
   * A fee schedule is missing from the catalogue: refresh it from the operator's relation, then start the job again.
   */
  v.strictObject({ next: v.literal('refresh') }),
  /** The query has written its files, which `manifest` lists; absent if there are none. */
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

/** The job and run of an execution, in every event of the workflow. */
export const jobRunEntries = { orgId: v.string(), jobId: v.string(), run: v.string() }

/** The input of a step. `step` is the result of the previous step; absent in the first. */
export const stepInputSchema = v.strictObject({ ...jobRunEntries, step: v.exactOptional(nextStepSchema) })

/** The result of a step. The workflow branches on `next`; exceptions are for unexpected errors. */
export type NextStep = Readonly<v.InferOutput<typeof nextStepSchema>>

export type Attempt = Readonly<v.InferOutput<v.StrictObjectSchema<typeof attempt, undefined>>>

export type AwaitStep = Extract<NextStep, { next: 'await' }>
export type PublishStep = Extract<NextStep, { next: 'publish' }>

export type StepInput = Readonly<Omit<v.InferOutput<typeof stepInputSchema>, 'step'> & { readonly step?: NextStep }>

/** Prefix of all results in their bucket; the signing role may read only here. */
export const resultsPrefix = 'results/'
