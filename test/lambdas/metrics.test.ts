import { describe, expect, it } from 'vitest'
import type { QueryState } from '../../core/search/ports.ts'
import { countBytes, formatEnd, formatListFault, formatScan, formatSweep } from '../../lambdas/metrics.ts'

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

  it('name the query whose bytes they count', () => {
    const line = formatScan({ queryId: 'query-1', bytes: 10_485_760 }, { stage: 'prod', time })
    expect(JSON.parse(line)).toMatchObject({
      _aws: {
        CloudWatchMetrics: [{ Dimensions: [['Stage']], Metrics: [{ Name: 'BytesScanned', Unit: 'Bytes' }] }],
      },
      query_id: 'query-1',
      Stage: 'prod',
      BytesScanned: 10_485_760,
    })
  })

  it('count searches that are repeated with folders', () => {
    expect(JSON.parse(formatListFault({ stage: 'prod', time }))).toMatchObject({
      _aws: { CloudWatchMetrics: [{ Dimensions: [['Stage']], Metrics: [{ Name: 'ListFaults', Unit: 'Count' }] }] },
      Stage: 'prod',
      ListFaults: 1,
    })
  })

  it('count the bytes of queries that succeeded or failed, but of none that runs or read nothing', async () => {
    const states: Readonly<Record<string, QueryState>> = {
      running: { state: 'running' },
      succeeded: { state: 'succeeded', manifest: 's3://m', bytesScanned: 3 },
      failed: { state: 'failed', fault: 'permanent', reason: 'r', bytesScanned: 4 },
      unknown: { state: 'failed', fault: 'permanent', reason: 'r' },
    }
    const lines: string[] = []
    const look = async (queryId: string) => states[queryId] ?? { state: 'running' as const }
    const queries = countBytes({ look }, 'prod', (line) => void lines.push(line))
    for (const [queryId, state] of Object.entries(states)) expect(await queries.look(queryId)).toEqual(state)
    const counts = lines.map((line) => JSON.parse(line)).map(({ query_id, BytesScanned }) => [query_id, BytesScanned])
    expect(counts).toEqual([
      ['succeeded', 3],
      ['failed', 4],
    ])
  })
})
