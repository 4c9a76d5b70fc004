import type { RunningServer } from '../http-server.ts'
import { startJsonEndpoint } from '../json-endpoint.ts'
import { startEngine } from './engine.ts'
import { athenaOperations } from './operations.ts'
import { Queries } from './queries.ts'
import type { ResultStore } from './unload.ts'

export interface AthenaOptions {
  /** Contains the relations as `<table>/bucket=<n>/*.parquet`. Need not exist yet. */
  readonly warehouseFolder: string
  /** Receives results and manifests. */
  readonly objects: ResultStore
  /** Result location of queries that name none, `s3://bucket/prefix/`. On AWS the workgroup sets it. */
  readonly outputLocation?: string
  /**
   * Used by this instance only, and cleared on start. @default - a new temporary folder, left behind if the process is
   * killed
   */
  readonly scratchFolder?: string
  /** The default, 0, picks a free port. */
  readonly port?: number
  readonly now: () => Date
  /** Generates UUIDs. */
  readonly newId: () => string
  /**
   * Maximum number of queries that run at once; the rest are QUEUED. Each occupies one of the four threads in Node's
   * pool (UV_THREADPOOL_SIZE), so the default of 3 leaves one for other file access in the process.
   */
  readonly queriesAtOnce?: number
  /** Rows written to one UNLOAD file before moving on to the next. */
  readonly rowsPerFile?: number
  /** Maximum number of files per UNLOAD. */
  readonly filesPerQuery?: number
  /** Maximum total size of the files a query may read. Larger queries are CANCELLED, as by a workgroup's limit. */
  readonly dataLimitBytes?: number
  /** Number of ended queries to remember; Athena keeps them for 45 days. @default 1,000 */
  readonly remembered?: number
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
  const engine = await startEngine({ ...options, dataLimitBytes, cut: { rowsPerFile, filesPerQuery } })
  const queries = new Queries({ ...options, engine, atOnce: queriesAtOnce, remembered })
  const operations = athenaOperations(queries, options.outputLocation)
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
