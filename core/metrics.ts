import type { FailureWord } from './failure.ts'
import { failureWords } from './failure.ts'

/** The service's own metrics, by the names that functions write and alarms read. All of them carry the stage. */
export const metricsNamespace = 'RateSearch'

/** The stage that a metric is of: several stages may share an account. */
export const stageDimension = 'Stage'

/** How a search ended: an `EndedWord`. */
export const wordDimension = 'Word'

/** 1 for each search that ended, with the dimensions stage and word. */
export const searchesEnded = 'SearchesEnded'

export type EndedWord = 'completed' | FailureWord

/** Every `EndedWord`. */
export const endedWords: readonly string[] = ['completed', ...Object.keys(failureWords)]

/** What a sweep measures, with the dimension stage. */
export const sweepMetrics = {
  /** 1 a sweep: its absence is what matters. */
  sweeps: 'Sweeps',
  /** The longest that a job has waited for its first query to start, in seconds; 0 if none waits. */
  oldestWaiting: 'OldestWaitingSeconds',
  /** The longest time since the first query of an unended job was started, in seconds; 0 if none runs. */
  oldestRunning: 'OldestRunningSeconds',
  /** Jobs that a sweep started again. */
  restarted: 'RestartedJobs',
} as const
