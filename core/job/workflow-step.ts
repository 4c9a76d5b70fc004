import type { Attempt } from './attempt.ts'
import type { JobRun } from './job.ts'

/**
 * State passed between the steps of a job's workflow: small handles, never the request, the SQL or a list of files. A
 * step returns what comes next and the workflow branches on it; only unexpected errors are thrown.
 */
export type NextStep =
  /** A query is running: watch it. `waitMs` is the delay before the next poll, carried over between turns. */
  | ({ readonly next: 'await'; readonly queryId: string; readonly waitMs: number } & Attempt)
  /**
   * Start `attempt` after a delay: Athena had no capacity, the last attempt failed for a reason of Athena's, or it
   * wrote a file that is too large. `waits` counts waits for a refresh that another job forced; absent: none.
   */
  | ({ readonly next: 'retry'; readonly waitSeconds: number; readonly waits?: number } & Attempt)
  /** The catalogue lacks a fee schedule: refresh it from the operator's relation, then start the job again. */
  | { readonly next: 'refresh' }
  /** The query has written its files. `manifest` lists them; absent if it wrote none. */
  | ({ readonly next: 'publish'; readonly queryId: string; readonly manifest?: string } & Attempt)
  /** The job has ended, or another run has its id. */
  | { readonly next: 'end' }

export type AwaitStep = Extract<NextStep, { next: 'await' }>
export type PublishStep = Extract<NextStep, { next: 'publish' }>

export const end: NextStep = { next: 'end' }

/** Input of a step. */
export interface StepInput extends JobRun {
  /** What the previous step returned; absent for the first step. */
  readonly step?: NextStep
}
