import type { CountEnd } from '../core/job/ports.ts'
import type { Queries } from '../core/search/ports.ts'
import type { SweepReport } from '../core/workflow/sweep-searches.ts'
import {
  bytesScanned,
  listFaults,
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
  readonly unit: 'Bytes' | 'Count' | 'Seconds'
  readonly value: number
}

/** Stage and time of a measurement. */
interface Measured {
  readonly stage: string
  readonly time: Date
}

export const formatSweep = (
  { oldestWaiting, oldestRunning, oldestUnannounced, restarted }: SweepReport,
  measured: Measured,
): string =>
  formatMetrics(measured, [
    { name: sweepMetrics.sweeps, unit: 'Count', value: 1 },
    { name: sweepMetrics.restarted, unit: 'Count', value: restarted },
    { name: sweepMetrics.oldestWaiting, unit: 'Seconds', value: oldestWaiting },
    { name: sweepMetrics.oldestRunning, unit: 'Seconds', value: oldestRunning },
    { name: sweepMetrics.oldestUnannounced, unit: 'Seconds', value: oldestUnannounced },
  ])

export const formatGivenUp = (count: number, measured: Measured): string =>
  formatMetrics(measured, [{ name: webhooksGivenUp, unit: 'Count', value: count }])

/** Returns a counter of a stage's ended searches, which writes one log line for each. */
export function createEndCount(stage: string): CountEnd {
  return (end) => void process.stdout.write(`${formatEnd(end, { stage, time: new Date() })}\n`)
}

/** Returns a counter of a stage's searches that are repeated with folders, which writes one log line for each. */
export function createListFaultCount(stage: string): () => void {
  return () => void process.stdout.write(`${formatListFault({ stage, time: new Date() })}\n`)
}

export const formatListFault = (measured: Measured): string =>
  formatMetrics(measured, [{ name: listFaults, unit: 'Count', value: 1 }])

/** Formats the line of an ended search. The job's id is no dimension of the metric; it makes the log searchable. */
export const formatEnd = ({ jobId, word }: Parameters<CountEnd>[0], measured: Measured): string =>
  formatMetrics(
    measured,
    [{ name: searchesEnded, unit: 'Count', value: 1 }],
    { [wordDimension]: word },
    { job_id: jobId },
  )

/**
 * Counts the bytes of each query that is seen to end, also if it failed, because Athena bills them. Queries that nobody
 * looks at after they were stopped are not counted.
 */
export function countBytes<Watched extends Pick<Queries, 'look'>>(
  queries: Watched,
  stage: string,
  writeLine = (line: string) => void process.stdout.write(`${line}\n`),
): Watched {
  const look: Queries['look'] = async (queryId) => {
    const query = await queries.look(queryId)
    if (query.state !== 'running' && query.bytesScanned !== undefined)
      writeLine(formatScan({ queryId, bytes: query.bytesScanned }, { stage, time: new Date() }))
    return query
  }
  return { ...queries, look }
}

/** Formats the line of an ended query, which its id makes searchable. */
export const formatScan = (
  { queryId, bytes }: { readonly queryId: string; readonly bytes: number },
  measured: Measured,
): string => formatMetrics(measured, [{ name: bytesScanned, unit: 'Bytes', value: bytes }], {}, { query_id: queryId })

/**
 * Formats a log line that CloudWatch turns into metrics, which needs neither an API call nor a permission. Source:
 * CloudWatch user guide, "Embedded metric format specification".
 *
 * @param others dimensions besides the stage
 * @param facts further fields of the line
 */
function formatMetrics(
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
