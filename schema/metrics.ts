import { type FailureWord, failureWords } from '../contract/failure-words.ts'

/**
 * The service's custom metrics: functions write these names and alarms read them. All carry the stage as a dimension.
 */
export const metricsNamespace = 'RateSearch'

/** Dimension of the stage, because several stages may share an account. */
export const stageDimension = 'Stage'

/** Dimension of how a search ended, an `EndedWord`. */
export const wordDimension = 'Word'

/** 1 per ended search, with the dimensions stage and word. */
export const searchesEnded = 'SearchesEnded'

export type EndedWord = 'completed' | FailureWord

/** All values of `EndedWord`. */
export const endedWords: readonly string[] = ['completed', ...Object.keys(failureWords)]

/** Bytes that a query read, for each query that was seen to end, with the dimension stage. Athena bills by them. */
export const bytesScanned = 'BytesScanned'

/** 1 per search that was repeated with folders because its lists of files did not work, with the dimension stage. */
export const listFaults = 'ListFaults'

/** Plans that a load on AWS left out, with the dimension stage: `left_out` of the last line that its last step logs. */
export const plansLeftOut = 'PlansLeftOut'

/** Calls of webhooks that were given up, with the dimension stage. */
export const webhooksGivenUp = 'WebhooksGivenUp'

/** Metrics of a sweep, with the dimension stage. */
export const sweepMetrics = {
  /** 1 per sweep; an alarm fires if it is missing. */
  sweeps: 'Sweeps',
  /** Longest time that an unended job has waited for its first query, in seconds; 0 if none waits. */
  oldestWaiting: 'OldestWaitingSeconds',
  /** Longest time since the first query of an unended job started, in seconds; 0 if none runs. */
  oldestRunning: 'OldestRunningSeconds',
  /** Longest time since the end of a job that could not be announced yet, in seconds; 0 if all could. */
  oldestUnannounced: 'OldestUnannouncedSeconds',
  /** Jobs that a sweep restarted. */
  restarted: 'RestartedJobs',
} as const
