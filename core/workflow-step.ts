import type { Attempt } from './attempt.ts'
import type { JobRun } from './job.ts'

/**
 * What the steps of a job's workflow hand to one another: small handles, never the request, the SQL or a list of files.
 * A step returns what comes next and the workflow branches on it; errors are for what nobody expected.
 */
export type NextStep =
  /** A query runs: look after it. `waitMs` is how long the next look waits, carried on between turns. */
  | ({ readonly next: 'await'; readonly queryId: string; readonly waitMs: number } & Attempt)
  /**
   * Start `attempt` after a while: it could not be started, or the one before failed for a reason of Athena's own or
   * wrote a file that is too large. `waits` counts the waits for a refresh that another job has forced; absent: none.
   */
  | ({ readonly next: 'retry'; readonly waitSeconds: number; readonly waits?: number } & Attempt)
  /** The catalogue lacks a fee schedule: read the operator's own relation again, then start the job again. */
  | { readonly next: 'refresh' }
  /** The query has written its files; `manifest` lists them, and is absent where there are none. */
  | ({ readonly next: 'publish'; readonly queryId: string; readonly manifest?: string } & Attempt)
  /** The job has ended, or is somebody else's now. */
  | { readonly next: 'end' }

export type AwaitStep = Extract<NextStep, { next: 'await' }>
export type PublishStep = Extract<NextStep, { next: 'publish' }>

export const end: NextStep = { next: 'end' }

/** What a step is called with. */
export interface StepInput extends JobRun {
  /** What the step before returned; absent in the first. */
  readonly step?: NextStep
}
