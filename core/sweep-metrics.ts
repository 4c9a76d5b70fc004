/** What a sweep measures, under the names that alarms look for. */
export const sweepMetrics = {
  namespace: 'RateSearch',
  /** 1 a sweep: its absence is what matters. */
  sweeps: 'Sweeps',
  /** Age of the oldest job that waits for a worker, in seconds; 0 where none does. */
  oldestQueued: 'OldestQueuedSeconds',
  /** Age of the oldest job that is processing, in seconds; 0 where none is. */
  oldestProcessing: 'OldestProcessingSeconds',
  /** Jobs that a sweep started again. */
  restarted: 'RestartedJobs',
} as const
