import { describe, expect, it } from 'vitest'
import { formatEnd, formatSweep } from '../../lambdas/metrics.ts'

const time = new Date('2026-03-01T00:00:00.500Z')

describe('the functions’ metrics', () => {
  it('measure a sweep under its stage', () => {
    const report = { oldestWaiting: 12, oldestRunning: 34.5, oldestUnannounced: 56, restarted: 2 }
    const line = formatSweep(report, { stage: 'prod', time })
    expect(JSON.parse(line)).toEqual({
      _aws: {
        Timestamp: 1_772_323_200_500,
        CloudWatchMetrics: [
          {
            Namespace: 'RateSearch',
            Dimensions: [['Stage']],
            Metrics: [
              { Name: 'Sweeps', Unit: 'Count' },
              { Name: 'RestartedJobs', Unit: 'Count' },
              { Name: 'OldestWaitingSeconds', Unit: 'Seconds' },
              { Name: 'OldestRunningSeconds', Unit: 'Seconds' },
              { Name: 'OldestUnannouncedSeconds', Unit: 'Seconds' },
            ],
          },
        ],
      },
      Stage: 'prod',
      Sweeps: 1,
      RestartedJobs: 2,
      OldestWaitingSeconds: 12,
      OldestRunningSeconds: 34.5,
      OldestUnannouncedSeconds: 56,
    })
  })

  it('count an ended search under its stage and how it ended', () => {
    expect(JSON.parse(formatEnd({ jobId: 'a-job', word: 'internal' }, { stage: 'prod', time }))).toEqual({
      _aws: {
        Timestamp: 1_772_323_200_500,
        CloudWatchMetrics: [
          {
            Namespace: 'RateSearch',
            Dimensions: [['Stage', 'Word']],
            Metrics: [{ Name: 'SearchesEnded', Unit: 'Count' }],
          },
        ],
      },
      job_id: 'a-job',
      Stage: 'prod',
      Word: 'internal',
      SearchesEnded: 1,
    })
  })
})
