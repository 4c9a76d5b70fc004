import type { IncomingMessage, ServerResponse } from 'node:http'
import { closeToBrowsers, listen, type RunningServer, readBody } from '../http-server.ts'
import { startEngine } from './engine.ts'
import { InvalidRequest } from './faults.ts'
import { type AthenaOperation, athenaOperations, type Body, isBody } from './operations.ts'
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
    const listener = closeToBrowsers((request, response) => serve(request, response, operations, options.newId))
    const server = await listen(listener, options.port)
    return { url: server.url, close: () => Promise.all([server.close(), close()]).then(() => undefined) }
  } catch (error) {
    await close()
    throw error
  }
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  operations: ReadonlyMap<string, AthenaOperation>,
  newId: () => string,
): Promise<void> {
  const { status, body } = await answer(request, operations).then((body) => ({ status: 200, body }), describeError)
  response.writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1', 'x-amzn-RequestId': newId() })
  response.end(JSON.stringify(body))
}

async function answer(request: IncomingMessage, operations: ReadonlyMap<string, AthenaOperation>): Promise<object> {
  const body = await readBody(request)
  const target = request.headers['x-amz-target']
  const operation = operations.get(String(target).replace(/^AmazonAthena\./, ''))
  if (operation === undefined) throw new InvalidRequest(`The local Athena does not support ${target ?? 'this call'}`)
  if (body === undefined) throw new InvalidRequest('The body is too long')
  return operation(parseBody(body))
}

function parseBody(bytes: Buffer): Body {
  const refusal = new InvalidRequest('The body must be a JSON object')
  try {
    const body: unknown = JSON.parse(bytes.toString())
    if (isBody(body)) return body
  } catch {
    throw refusal
  }
  throw refusal
}

function describeError(error: unknown) {
  if (error instanceof InvalidRequest)
    return { status: 400, body: { __type: error.name, Message: error.message, AthenaErrorCode: error.code } }
  return { status: 500, body: { __type: 'InternalServerException', Message: String(error) } }
}
