/** What a sweep measures, under the names that alarms look for. */
export const sweepMetrics = {
  namespace: 'RateSearch',
  /** 1 a sweep: its absence is what matters. */
  sweeps: 'Sweeps',
  /** How long a job has waited for its first query to start, the longest of all, in seconds; 0 where none waits. */
  oldestWaiting: 'OldestWaitingSeconds',
  /** How long ago the first query of a job that has not ended was started, the longest of all, in seconds; 0 where none runs. */
  oldestRunning: 'OldestRunningSeconds',
  /** Jobs that a sweep started again. */
  restarted: 'RestartedJobs',
} as const
