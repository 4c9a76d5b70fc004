import { setTimeout as sleep } from 'node:timers/promises'
import * as v from 'valibot'
import { runOnTrino, type TrinoResult } from '../run-on-trino.ts'
import { countRequests, markRequests, type RequestCounts } from './request-log.ts'

/** A query's result, and its work. Counts depend on the plan alone, so tests may assert them; times do not. */
export interface MeasuredQuery extends TrinoResult {
  /** Highest memory of the query on all nodes together, in bytes. */
  readonly peakBytes: number
  /** Highest memory of one of its tasks, in bytes; a task is a stage of the plan on one node. */
  readonly peakTaskBytes: number
  /** Bytes read from storage. */
  readonly readBytes: number
  readonly processorMs: number
  /** Rows that went from node to node, or within a node from one stage to another. */
  readonly exchangedRows: number
  /** Rows from which hash tables of joins were built. */
  readonly builtRows: number
  /** Rows whose lists were unnested. */
  readonly unnestedRows: number
  /** Rows that were grouped by `GROUPING SETS`, before they were multiplied by them. */
  readonly rowsOfSets: number
  /** Requests to S3 and Glue. */
  readonly requests: RequestCounts
}

/** Factors of sizes in Trino's notation, such as `1.5MB`. */
const sizeUnits = { B: 1, kB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 }

/** Factors of durations in Trino's notation, such as `1.5m`, in milliseconds. */
const timeUnits = { ns: 1e-6, us: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Parses a number with a unit. */
const quantity = (units: Readonly<Record<string, number>>) =>
  v.pipe(
    v.string(),
    v.transform((text) => {
      const [, number = '', unit = ''] = /^([\d.]+)([a-zA-Z]+)$/.exec(text) ?? []
      const factor = units[unit]
      if (factor === undefined) throw new TypeError(`not a quantity: ${text}`)
      return Number(number) * factor
    }),
  )

/** The parts of `/v1/query/<id>` that are measured. Source: Trino, `QueryInfo` and `QueryStats`. */
const queryInfo = v.object({
  finalQueryInfo: v.boolean(),
  queryStats: v.object({
    peakUserMemoryReservation: quantity(sizeUnits),
    peakTaskUserMemory: quantity(sizeUnits),
    physicalInputDataSize: quantity(sizeUnits),
    totalCpuTime: quantity(timeUnits),
    operatorSummaries: v.array(v.object({ operatorType: v.string(), inputPositions: v.number() })),
  }),
})

type QueryInfo = v.InferOutput<typeof queryInfo>

/** Servers that answer and count. */
export interface MeasuringServers {
  readonly url: string
  readonly requestLog: string
}

/** Runs a statement while nothing else runs, and returns its rows and its work. */
export async function measureOnTrino({ url, requestLog }: MeasuringServers, sql: string): Promise<MeasuredQuery> {
  const mark = await markRequests(requestLog)
  const result = await runOnTrino(url, sql)
  const requests = await countRequests(requestLog, mark)
  const { queryStats } = await readFinalInfo(url, result.id)
  const inputOf = (type: string) =>
    queryStats.operatorSummaries
      .filter(({ operatorType }) => operatorType === type)
      .reduce((sum, { inputPositions }) => sum + inputPositions, 0)
  return {
    ...result,
    peakBytes: queryStats.peakUserMemoryReservation,
    peakTaskBytes: queryStats.peakTaskUserMemory,
    readBytes: queryStats.physicalInputDataSize,
    processorMs: queryStats.totalCpuTime,
    exchangedRows: inputOf('ExchangeOperator'),
    builtRows: inputOf('HashBuilderOperator'),
    unnestedRows: inputOf('UnnestOperator'),
    rowsOfSets: inputOf('GroupIdOperator'),
    requests,
  }
}

/** Nodes report the end of their tasks after the last row was read; until then the numbers are too small. */
async function readFinalInfo(url: string, queryId: string): Promise<QueryInfo> {
  for (;;) {
    const response = await fetch(`${url}/v1/query/${queryId}`, { headers: { 'X-Trino-User': 'test' } })
    const info = v.parse(queryInfo, await response.json())
    if (info.finalQueryInfo) return info
    await sleep(50)
  }
}

/**
 * Returns the plan of a statement.
 *
 * @param options of EXPLAIN, such as `TYPE DISTRIBUTED` (the default of Trino) or `TYPE IO, FORMAT JSON`
 */
export async function explainOnTrino(url: string, sql: string, options = 'TYPE DISTRIBUTED'): Promise<string> {
  const { rows } = await runOnTrino(url, `EXPLAIN (${options}) ${sql}`)
  return rows.flat().join('\n')
}
