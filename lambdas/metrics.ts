import type { EndedWord } from '../core/metrics.ts'
import { metricsNamespace, searchesEnded, stageDimension, sweepMetrics, wordDimension } from '../core/metrics.ts'
import type { CountEnd } from '../core/ports.ts'
import type { SweepReport } from '../core/sweep-searches.ts'

interface Measure {
  readonly name: string
  readonly unit: 'Count' | 'Seconds'
  readonly value: number
}

/** A sweep's measures as one line of the log. */
export function describeSweep(
  { oldestWaiting, oldestRunning, restarted }: SweepReport,
  { stage, time }: { readonly stage: string; readonly time: Date },
): string {
  const measures: readonly Measure[] = [
    { name: sweepMetrics.sweeps, unit: 'Count', value: 1 },
    { name: sweepMetrics.restarted, unit: 'Count', value: restarted },
    { name: sweepMetrics.oldestWaiting, unit: 'Seconds', value: oldestWaiting },
    { name: sweepMetrics.oldestRunning, unit: 'Seconds', value: oldestRunning },
  ]
  return describeMetrics({ [stageDimension]: stage }, measures, time)
}

/** Counts ended searches of a stage, by a line of the log each. */
export function createEndCount(stage: string): CountEnd {
  return (end) => void process.stdout.write(`${describeEnd(end, { stage, time: new Date() })}\n`)
}

/** The end of one search as one line of the log. */
export function describeEnd(
  { jobId, word }: { readonly jobId: string; readonly word: EndedWord },
  { stage, time }: { readonly stage: string; readonly time: Date },
): string {
  const dimensions = { [stageDimension]: stage, [wordDimension]: word }
  // CloudWatch makes no metric of the job's id, but the log can be searched for it.
  return describeMetrics(dimensions, [{ name: searchesEnded, unit: 'Count', value: 1 }], time, { job_id: jobId })
}

/**
 * One line of the log that CloudWatch turns into metrics, without an API call and without permission to make one.
 * Source: CloudWatch user guide, "Embedded metric format specification".
 */
function describeMetrics(
  dimensions: Readonly<Record<string, string>>,
  measures: readonly Measure[],
  time: Date,
  facts: Readonly<Record<string, string>> = {},
): string {
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
