import { fileListsBelow } from '../../schema/columns/search-tables.ts'
import type { RunningServer } from '../http-server.ts'
import { startJsonEndpoint } from '../json-endpoint.ts'
import { type EngineOptions, startEngine } from './engine.ts'
import { athenaOperations } from './operations.ts'
import { Queries, type QueriesOptions } from './queries.ts'
import { parseS3Address } from './s3-address.ts'
import type { FileCut } from './unload.ts'

export interface AthenaOptions
  extends Omit<EngineOptions, 'cut' | 'dataLimitBytes' | 'fileLists'>,
    Partial<FileCut & Pick<EngineOptions, 'dataLimitBytes'> & Pick<QueriesOptions, 'queriesAtOnce' | 'remembered'>> {
  /** Result location of queries that name none, `s3://bucket/prefix/`. On AWS the workgroup sets it. */
  readonly outputLocation?: string
  /** The default, 0, picks a free port. */
  readonly port?: number
}

/**
 * Starts a local Athena: StartQueryExecution, GetQueryExecution, StopQueryExecution and GetQueryResults over JSON 1.1,
 * backed by DuckDB over Parquet files. `local/SUPPORTED.md` lists what is missing.
 *
 * @throws PortInUse
 */
export async function startAthena(options: AthenaOptions): Promise<RunningServer> {
  const {
    rowsPerFile = 1000,
    filesPerQuery = 4,
    queriesAtOnce = 3,
    dataLimitBytes = Number.POSITIVE_INFINITY,
    remembered = 1000,
  } = options
  const { outputLocation } = options
  const fileLists = outputLocation === undefined ? undefined : parseS3Address(fileListsBelow(outputLocation))
  const cut = { rowsPerFile, filesPerQuery }
  const engine = await startEngine({ ...options, fileLists, dataLimitBytes, cut })
  const queries = new Queries({ ...options, engine, queriesAtOnce, remembered })
  const operations = athenaOperations(queries, outputLocation)
  const close = async () => {
    await queries.close()
    await engine.close()
  }
  try {
    const server = await startJsonEndpoint(operations, options.port)
    return { url: server.url, close: () => Promise.all([server.close(), close()]).then(() => undefined) }
  } catch (error) {
    await close()
    throw error
  }
}
