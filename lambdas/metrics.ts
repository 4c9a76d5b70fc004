import type { CountEnd } from '../core/job/ports.ts'
import type { SweepReport } from '../core/workflow/sweep-searches.ts'
import {
  metricsNamespace,
  searchesEnded,
  stageDimension,
  sweepMetrics,
  webhooksGivenUp,
  wordDimension,
} from '../schema/metrics.ts'

/** Dependencies of a function that writes metrics. */
export interface WritesMetrics {
  /** A dimension of the metrics. */
  readonly stage: string
  readonly writeLine: (line: string) => void
}

interface Measure {
  readonly name: string
  readonly unit: 'Count' | 'Seconds'
  readonly value: number
}

/** Of which stage, and when. */
interface Measured {
  readonly stage: string
  readonly time: Date
}

export const describeSweep = (
  { oldestWaiting, oldestRunning, oldestUnannounced, restarted }: SweepReport,
  measured: Measured,
): string =>
  describeMetrics(measured, [
    { name: sweepMetrics.sweeps, unit: 'Count', value: 1 },
    { name: sweepMetrics.restarted, unit: 'Count', value: restarted },
    { name: sweepMetrics.oldestWaiting, unit: 'Seconds', value: oldestWaiting },
    { name: sweepMetrics.oldestRunning, unit: 'Seconds', value: oldestRunning },
    { name: sweepMetrics.oldestUnannounced, unit: 'Seconds', value: oldestUnannounced },
  ])

export const describeGivenUp = (count: number, measured: Measured): string =>
  describeMetrics(measured, [{ name: webhooksGivenUp, unit: 'Count', value: count }])

/** Counts ended searches of a stage, one log line each. */
export function createEndCount(stage: string): CountEnd {
  return (end) => void process.stdout.write(`${describeEnd(end, { stage, time: new Date() })}\n`)
}

/** The id of the job is not part of the metric, but makes the log searchable. */
export const describeEnd = ({ jobId, word }: Parameters<CountEnd>[0], measured: Measured): string =>
  describeMetrics(
    measured,
    [{ name: searchesEnded, unit: 'Count', value: 1 }],
    { [wordDimension]: word },
    { job_id: jobId },
  )

/**
 * Formats a log line that CloudWatch turns into metrics, which needs neither an API call nor a permission. Source:
 * CloudWatch user guide, "Embedded metric format specification".
 *
 * @param others dimensions besides the stage
 * @param facts further fields of the line
 */
function describeMetrics(
  { stage, time }: Measured,
  measures: readonly Measure[],
  others: Readonly<Record<string, string>> = {},
  facts: Readonly<Record<string, string>> = {},
): string {
  const dimensions = { [stageDimension]: stage, ...others }
  const metrics = {
    Namespace: metricsNamespace,
    Dimensions: [Object.keys(dimensions)],
    Metrics: measures.map(({ name, unit }) => ({ Name: name, Unit: unit })),
  }
  return JSON.stringify({
    _aws: { Timestamp: time.getTime(), CloudWatchMetrics: [metrics] },
    ...facts,
    ...dimensions,
    ...Object.fromEntries(measures.map(({ name, value }) => [name, value])),
  })
}
