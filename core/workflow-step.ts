import type { JobRun, StartedQuery } from './job.ts'

/**
 * What the steps of a job's workflow hand to one another: small handles, never the request, the SQL or a list of files.
 * A step returns what comes next and the workflow branches on it; errors are for what nobody expected.
 */
export type NextStep =
  /** A query runs: look after it. `waitMs` is how long the next look waits, carried on between turns. */
  | ({ readonly next: 'await'; readonly waitMs: number } & StartedQuery)
  /** The attempt could not be started or failed for a reason of Athena's own: start `attempt` after a while. */
  | { readonly next: 'retry'; readonly attempt: number; readonly waitSeconds: number }
  /** The query has written its files; `manifest` lists them, and is absent where there are none. */
  | ({ readonly next: 'publish'; readonly manifest?: string } & StartedQuery)
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
